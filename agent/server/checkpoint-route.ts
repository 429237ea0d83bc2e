import type { ServerResponse } from 'node:http';
import { encodeJson } from '../../core/decode/encode-json.ts';
import type { Status } from '../../core/errors/status.ts';
import { type Clock, sleep } from '../../platform/process/clock.ts';
import type { CheckpointProgress, CheckpointRefusal } from '../checkpoint/checkpoint-record.ts';
import type { CheckpointService } from './checkpoint-service.ts';
import type { Route, RouteRequest } from './route.ts';
import { sendJson, sendText } from './send-answer.ts';

/** What the route needs. */
export interface CheckpointRouteOptions {
  readonly checkpoints: Pick<CheckpointService, 'create'>;
  readonly clock: Clock;
}

/** A stream says something at least as often, so that whoever reads it can tell a long dump from an agent that hangs. */
const repeatMillis = 5_000;
const int64 = /^[+-]?\d+$/;

/** Whole seconds; `undefined`: none given; NaN: no number that fits 64 bits. The last of several counts. */
function readTimeout(query: URLSearchParams): number | undefined {
  const text = query.getAll('timeout').at(-1);
  if (text === undefined) return undefined;
  if (!int64.test(text) || text.length > 64) return NaN;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? Number(value) : NaN;
}

/** Go's ParseBool, false for anything else. */
function isTrue(text: string | null): boolean {
  return text !== null && /^(1|t|T|TRUE|true|True)$/.test(text);
}

function acceptsJson(accept: string | undefined, streams: boolean): boolean {
  if (accept === undefined || accept === '') return true;
  const wanted = accept.split(',').map((part) => part.split(';', 1)[0]?.trim() ?? '');
  return wanted.some(
    (type) => type === '*/*' || type === 'application/json' || (streams && type === 'application/x-ndjson'),
  );
}

/** The Status that says a refusal in a stream. */
function describeRefusal({ status, reason, message }: CheckpointRefusal): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code: status };
}

/** An answer of JSON lines: how far a checkpoint is, then what it came to. Its head is sent with the first line. */
class ProgressStream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #last: string | undefined;

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
  }

  get hasBegun(): boolean {
    return this.#last !== undefined;
  }

  readonly report = (progress: CheckpointProgress): void => {
    if (!this.hasBegun) {
      this.#begin();
      void this.#repeat();
    }
    this.#last = `${encodeJson(progress)}\n`;
    this.#write(this.#last);
  };

  end(line: unknown): void {
    this.#ended.abort();
    if (!this.hasBegun) this.#begin();
    this.#response.end(`${encodeJson(line)}\n`);
  }

  #begin(): void {
    this.#response.writeHead(200, {
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-cache, private',
      'x-content-type-options': 'nosniff',
    });
  }

  /** A reader that is slow misses lines, rather than have them kept. */
  #write(line: string): void {
    if (!this.#response.writableNeedDrain && !this.#response.destroyed) this.#response.write(line);
  }

  async #repeat(): Promise<void> {
    for (;;) {
      await sleep(this.#clock, repeatMillis, this.#ended.signal);
      if (this.#ended.signal.aborted || this.#response.destroyed) return;
      if (this.#last !== undefined) this.#write(this.#last);
    }
  }
}

/**
 * The operation of the specification: a checkpoint of one container. Refusals are plain text, as the kubelet's. With `progress=true` the answer
 * is a stream of JSON lines, and a refusal after the first of them is the last.
 */
export function buildCheckpointRoute({ checkpoints, clock }: CheckpointRouteOptions): Route {
  async function handle({ request, response, parameters, query, signal }: RouteRequest): Promise<void> {
    const streams = isTrue(query.get('progress'));
    if (!acceptsJson(request.headers.accept, streams)) {
      sendText(response, 406, '406: Not Acceptable\n\nAvailable representations: application/json');
      return;
    }
    const { namespace = '', pod = '', container = '' } = parameters;
    const stream = streams ? new ProgressStream(response, clock) : undefined;
    const result = await checkpoints.create(
      { namespace, pod, container, timeoutSeconds: readTimeout(query) },
      { signal, ...(stream === undefined ? {} : { onProgress: stream.report }) },
    );
    if ('refusal' in result) {
      if (stream?.hasBegun === true) stream.end({ type: 'Error', status: describeRefusal(result.refusal) });
      else sendText(response, result.refusal.status, result.refusal.message);
    } else if (stream !== undefined) {
      stream.end({ type: 'Done', checkpoint: result.record });
    } else {
      sendJson(response, 200, { items: [result.record.archive] });
    }
  }
  return { method: 'POST', path: '/checkpoint/{namespace}/{pod}/{container}', handle };
}
