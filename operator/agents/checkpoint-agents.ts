import { createHash } from 'node:crypto';
import { StatusError } from '../../core/errors/status.ts';
import type { JsonValue } from '../../core/meta/json.ts';
import { compareKeys, keyOf, type CheckpointKey } from '../../kinds/node/checkpoint/checkpoint-key.ts';
import { readCheckpointRecord } from '../../kinds/node/checkpoint/read-checkpoint-record.ts';
import type { Checkpoint } from '../../kinds/node/checkpoint/schema.ts';
import { readField, readList, readNumber, readText } from '../../kinds/workloads/read-field.ts';
import type { AgentAnswer, AgentConnections } from './agent-connections.ts';
import {
  AgentFault,
  AgentHang,
  describeAbort,
  describeConnectionFault,
  makeAgentUnavailableError,
} from './agent-failure.ts';
import type { AgentEndpoint } from './plan-agent-endpoint.ts';
import { readCheckpointRefusal, readStreamedRefusal } from './read-agent-refusal.ts';
import { readAgentBody, readAgentJson, readChunks, readJsonLines } from './read-agent-body.ts';

/** How far an agent is with a checkpoint. */
export interface CheckpointProgress {
  readonly type: 'Progress';
  readonly phase: string;
  readonly bytes: number;
}

/** What a checkpoint is asked for of. */
export interface ContainerTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly timeoutSeconds: number | undefined;
}

/** A part of what an agent holds, in order. */
export interface CheckpointPart {
  readonly items: readonly Checkpoint[];
  readonly isComplete: boolean;
}

/** An archive under way. */
export interface ArchiveAnswer {
  readonly code: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}

const PHASES = new Set(['Waiting', 'Dumping', 'Storing']);
const HEAD_MILLIS = 30_000;
const READ_HEAD_MILLIS = 8_000;
/** What an agent gives itself when nobody says is not known here. */
const LONGEST_MILLIS = 3_600_000;
const MARGIN_MILLIS = 15_000;
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_RECORD_BYTES = 64 * 1024;
/** Of a record in a list, on average; one is of some 500 bytes. */
const LISTED_BYTES = 2048;

function encodePath(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

/** A UID that a checkpoint has whenever it is asked for: nobody keeps one for it. */
function makeUid(nodeName: string, { namespace, name }: CheckpointKey): string {
  const hex = createHash('sha256').update(`${nodeName}/${namespace}/${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What agents are asked about checkpoints. Every failure is a StatusError that names the node; no answer is believed unchecked. */
export class CheckpointAgents {
  readonly #connections: AgentConnections;
  readonly #apiVersion: string;

  constructor({ connections, domain }: { readonly connections: AgentConnections; readonly domain: string }) {
    this.#connections = connections;
    this.#apiVersion = `node.${domain}/v1`;
  }

  /** Has a checkpoint made: yields how far it is, and returns it. To end the generator, or to abort the signal, calls it off. */
  async *create(
    endpoint: AgentEndpoint,
    { namespace, pod, container, timeoutSeconds }: ContainerTarget,
    signal: AbortSignal,
  ): AsyncGenerator<CheckpointProgress, Checkpoint, void> {
    const { nodeName } = endpoint;
    const millis = (timeoutSeconds === undefined ? LONGEST_MILLIS : timeoutSeconds * 1000) + MARGIN_MILLIS;
    const timeout = timeoutSeconds === undefined ? '' : `&timeout=${timeoutSeconds}`;
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(millis)]);
    const answer = await this.#connections.send(endpoint, {
      method: 'POST',
      path: `${encodePath('checkpoint', namespace, pod, container)}?progress=true${timeout}`,
      headers: { Accept: 'application/x-ndjson, application/json' },
      headMillis: HEAD_MILLIS,
      signal: bounded,
    });
    try {
      if (answer.status !== 200) {
        const text = await readAgentBody(answer.body, MAX_TEXT_BYTES);
        throw readCheckpointRefusal(nodeName, answer.status, text.toString('utf8'));
      }
      for await (const line of readJsonLines(answer.body)) {
        const type = readText(line, 'type');
        if (type === 'Error') throw readStreamedRefusal(nodeName, readField(line, 'status'));
        if (type === 'Done') {
          const checkpoint = this.#readRecord(nodeName, readField(line, 'checkpoint') ?? null, { namespace });
          if (checkpoint.spec.podName === pod && checkpoint.spec.containerName === container) return checkpoint;
          throw new AgentFault('it made a checkpoint of something else');
        }
        const phase = readText(line, 'phase');
        const bytes = readNumber(line, 'bytes') ?? 0;
        if (type === 'Progress' && PHASES.has(phase) && Number.isSafeInteger(bytes) && bytes >= 0) {
          yield { type: 'Progress', phase, bytes };
        }
      }
      throw new AgentFault('it ended its answer without a result');
    } catch (error) {
      throw this.#explain(nodeName, error, bounded);
    } finally {
      answer.body.destroy();
    }
  }

  /** Checkpoints behind `after`, of one namespace or of all, so many at most. */
  async list(
    endpoint: AgentEndpoint,
    { namespace, after, limit }: { namespace: string | undefined; after: CheckpointKey | undefined; limit: number },
    signal: AbortSignal,
  ): Promise<CheckpointPart> {
    const query = new URLSearchParams({ limit: String(limit) });
    if (namespace !== undefined) query.set('namespace', namespace);
    if (after !== undefined) query.set('continue', `${after.namespace}/${after.name}`);
    return this.#ask(endpoint, { method: 'GET', path: `/checkpoints?${query.toString()}` }, signal, async (answer) => {
      this.#expect(answer, 200);
      const list = await readAgentJson(answer.body, MAX_RECORD_BYTES + limit * LISTED_BYTES);
      let last = after;
      const items = readList(list, 'items').map((record) => {
        const checkpoint = this.#readRecord(endpoint.nodeName, record, { namespace });
        const key = keyOf(checkpoint);
        if (last !== undefined && compareKeys(key, last) <= 0) throw new AgentFault('its list is out of order');
        last = key;
        return checkpoint;
      });
      const isComplete = readText(list, 'continue') === '';
      if (items.length > limit || (items.length === 0 && !isComplete)) throw new AgentFault('its list has no end');
      return { items, isComplete };
    });
  }

  /** A checkpoint by its name; `undefined` when the agent does not hold it. */
  async find(endpoint: AgentEndpoint, key: CheckpointKey, signal: AbortSignal): Promise<Checkpoint | undefined> {
    return this.#askOne(endpoint, 'GET', key, '', signal);
  }

  /** Pins a checkpoint, or no longer does; `undefined` when the agent does not hold it. */
  async setPinned(
    endpoint: AgentEndpoint,
    key: CheckpointKey,
    pinned: boolean,
    signal: AbortSignal,
  ): Promise<Checkpoint | undefined> {
    return this.#askOne(endpoint, pinned ? 'PUT' : 'DELETE', key, '/pin', signal);
  }

  /** Removes a checkpoint and its archive; `undefined` when the agent does not hold it. */
  async remove(endpoint: AgentEndpoint, key: CheckpointKey, signal: AbortSignal): Promise<Checkpoint | undefined> {
    return this.#askOne(endpoint, 'DELETE', key, '', signal);
  }

  /** Opens an archive, or the part of it that a Range header names; `undefined` when the agent does not hold it. */
  async openArchive(
    endpoint: AgentEndpoint,
    { namespace, name }: CheckpointKey,
    range: string | undefined,
    signal: AbortSignal,
  ): Promise<ArchiveAnswer | undefined> {
    const { nodeName } = endpoint;
    const answer = await this.#connections.send(endpoint, {
      method: 'GET',
      path: encodePath('checkpoints', namespace, name, 'archive'),
      headers: { Accept: '*/*', ...(range === undefined ? {} : { Range: range }) },
      headMillis: HEAD_MILLIS,
      signal,
    });
    const { status, headers } = answer;
    if (status !== 200 && status !== 206) answer.body.destroy();
    if (status === 404) return undefined;
    const contentRange = headers['content-range'] ?? '';
    const ranges: Record<string, string> = /^bytes (\d{1,16}-\d{1,16}|\*)\/\d{1,16}$/.test(contentRange)
      ? { 'Content-Range': contentRange }
      : {};
    const empty = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true as const, value: undefined }) }) };
    if (status === 416) return { code: 416, headers: { ...ranges, 'Content-Length': '0' }, body: empty };
    if (status !== 200 && status !== 206) throw this.#makeStatusFault(nodeName, status);
    const length = headers['content-length'] ?? '';
    if (!/^\d{1,16}$/.test(length) || (status === 206 && ranges['Content-Range'] === undefined)) {
      answer.body.destroy();
      throw makeAgentUnavailableError(nodeName, 'it does not say how long the archive is');
    }
    return {
      code: status,
      headers: {
        ...ranges,
        'Content-Type': 'application/x-tar',
        'Content-Length': length,
        'Accept-Ranges': 'bytes',
        'Content-Disposition': `attachment; filename="${name}.tar"`,
      },
      body: this.#readArchive(nodeName, answer, signal),
    };
  }

  async *#readArchive(
    nodeName: string,
    { body }: AgentAnswer,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void, void> {
    try {
      yield* readChunks(body);
    } catch (error) {
      throw this.#explain(nodeName, error, signal);
    }
  }

  #askOne(
    endpoint: AgentEndpoint,
    method: 'GET' | 'PUT' | 'DELETE',
    key: CheckpointKey,
    suffix: string,
    signal: AbortSignal,
  ): Promise<Checkpoint | undefined> {
    const path = encodePath('checkpoints', key.namespace, key.name) + suffix;
    return this.#ask(endpoint, { method, path }, signal, async (answer) => {
      if (answer.status === 404) return undefined;
      this.#expect(answer, 200);
      const record = await readAgentJson(answer.body, MAX_RECORD_BYTES);
      return this.#readRecord(endpoint.nodeName, record, key);
    });
  }

  async #ask<T>(
    endpoint: AgentEndpoint,
    request: { readonly method: 'GET' | 'PUT' | 'DELETE'; readonly path: string },
    signal: AbortSignal,
    read: (answer: AgentAnswer) => Promise<T>,
  ): Promise<T> {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(2 * READ_HEAD_MILLIS)]);
    let answer: AgentAnswer | undefined;
    try {
      answer = await this.#connections.send(endpoint, {
        ...{ ...request, headMillis: READ_HEAD_MILLIS, signal: bounded },
        headers: { Accept: 'application/json' },
      });
      return await read(answer);
    } catch (error) {
      // Its own time is up, and not that of all.
      const isHang = bounded.aborted && !signal.aborted;
      throw this.#explain(endpoint.nodeName, isHang ? new AgentHang() : error, isHang ? signal : bounded);
    } finally {
      // What was read to its end leaves its connection to the next.
      if (answer?.body.readableEnded === false) answer.body.destroy();
    }
  }

  #expect({ status }: AgentAnswer, expected: number): void {
    if (status === expected) return;
    throw new AgentFault(describeStatus(status));
  }

  #makeStatusFault(nodeName: string, status: number): StatusError {
    return makeAgentUnavailableError(nodeName, describeStatus(status));
  }

  #readRecord(
    nodeName: string,
    record: JsonValue,
    expected: { readonly namespace: string | undefined; readonly name?: string },
  ): Checkpoint {
    const checkpoint = readCheckpointRecord(record, { nodeName, apiVersion: this.#apiVersion });
    if ('fault' in checkpoint) throw new AgentFault(`a record of it cannot be read: ${checkpoint.fault}`);
    const key = keyOf(checkpoint);
    const isExpected =
      (expected.namespace === undefined || expected.namespace === key.namespace) &&
      (expected.name === undefined || expected.name === key.name);
    if (!isExpected) throw new AgentFault('it told of another checkpoint than it was asked for');
    checkpoint.metadata.uid = makeUid(nodeName, key);
    return checkpoint;
  }

  #explain(nodeName: string, error: unknown, signal: AbortSignal): StatusError {
    if (error instanceof StatusError) return error;
    // What was ended from here is no fault of an agent: no cause, so that no log has it.
    if (signal.aborted) return makeAgentUnavailableError(nodeName, describeAbort(signal));
    return makeAgentUnavailableError(nodeName, describeConnectionFault(error), error);
  }
}

function describeStatus(status: number): string {
  return status === 401 || status === 403
    ? `it does not let the operator do this (${status})`
    : `it answered with the status ${status}`;
}
