import {
  makeBadRequestError,
  makeConflictError,
  makeNotFoundError,
  makeServiceUnavailableError,
  makeTooLargeError,
} from '../../core/errors/make-status-error.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { findExactValue, parseFieldQuery } from '../../core/selectors/field-query.ts';
import {
  keyOf,
  planCheckpointPage,
  type CheckpointKey,
  type CheckpointSource,
} from '../../kinds/node/checkpoint/plan-checkpoint-page.ts';
import type { Checkpoint } from '../../kinds/node/checkpoint/schema.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { decodeContinueToken, encodeContinueToken } from '../apiserver/pipeline/continue-token.ts';
import type { HeldKindHandler, HeldListRequest, HeldObjectRequest, HeldPage } from '../apiserver/held-kind-handler.ts';
import type { AgentDirectory } from './agent-directory.ts';
import { askAgents, formatNodes, type AskOptions } from './ask-agents.ts';
import type { CheckpointAgents } from './checkpoint-agents.ts';
import type { AgentEndpoint, AgentPresence } from './plan-agent-endpoint.ts';

const RESOURCE = 'checkpoints';
const PART_SIZE = 250;
const SMALLEST_PART = 20;
/** A list of more must be read in pages. */
const MAX_LISTED = 20_000;
const MAX_LOCATED = 10_000;
const REMOVAL_MILLIS = 60_000;

type HeldObject = KubeObject & JsonObject;

/** Where a checkpoint is, and what it is. */
export interface LocatedCheckpoint {
  readonly endpoint: AgentEndpoint;
  readonly checkpoint: Checkpoint;
}

/** Checkpoints as the agents of the nodes hold them, asked for each time. */
export class HeldCheckpoints {
  readonly #agents: CheckpointAgents;
  readonly #directory: AgentDirectory;
  readonly #logger: Logger;
  readonly #group: string;
  /** Nodes that a checkpoint was last found on, by namespace and name; the oldest go first. */
  readonly #located = new Map<string, string>();

  constructor(options: {
    readonly agents: CheckpointAgents;
    readonly directory: AgentDirectory;
    readonly domain: string;
    readonly logger: Logger;
  }) {
    this.#agents = options.agents;
    this.#directory = options.directory;
    this.#logger = options.logger;
    this.#group = `node.${options.domain}`;
  }

  /** What serves the kind. */
  asHandler(): HeldKindHandler {
    return {
      type: 'held',
      target: { group: this.#group, version: 'v1', resource: RESOURCE },
      list: (request) => this.#list(request),
      get: async (request) => toHeld((await this.locate(request, request.signal)).checkpoint),
      update: async (request, live, next) => this.#update(request, live, next),
      delete: (request) => this.#remove(request),
    };
  }

  /**
   * Finds a checkpoint. Throws 404 when no node has it, 503 when nodes that may have it do not answer, and 409 when two nodes say that they
   * have it: one of them may not be what it seems.
   */
  async locate(key: CheckpointKey, signal: AbortSignal): Promise<LocatedCheckpoint> {
    const presences = await this.#directory.list();
    const known = presences.get(this.#located.get(nameKey(key)) ?? '');
    if (known !== undefined && 'address' in known) {
      const { answers } = await askAgents(
        [known],
        (endpoint) => this.#agents.find(endpoint, key, signal),
        this.#askBy(signal),
      );
      const checkpoint = answers.get(known.nodeName);
      if (checkpoint !== undefined) return { endpoint: known, checkpoint };
    }
    const { answers, silent } = await askAgents(
      [...presences.values()],
      (endpoint) => this.#agents.find(endpoint, key, signal),
      this.#askBy(signal),
    );
    const found = [...answers].flatMap(([nodeName, checkpoint]) => {
      const endpoint = presences.get(nodeName);
      return checkpoint === undefined || endpoint === undefined || 'obstacle' in endpoint
        ? []
        : [{ endpoint, checkpoint }];
    });
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) {
      this.remember(only.checkpoint);
      return only;
    }
    if (only !== undefined) {
      const nodes = formatNodes(found.map(({ endpoint }) => endpoint.nodeName).toSorted());
      throw makeConflictError(this.#group, RESOURCE, key.name, `the nodes ${nodes} each say that they hold it`);
    }
    if (silent.length === 0) throw makeNotFoundError(this.#group, RESOURCE, key.name);
    throw makeServiceUnavailableError(
      `${RESOURCE}.${this.#group} "${key.name}" was not found, but these nodes did not answer: ${formatNodes(silent)}`,
    );
  }

  /**
   * Removes every checkpoint of a namespace. Throws a StatusError while an agent that renews its Lease does not do so; what is on nodes
   * that are gone is for their own retention.
   */
  async removeAll(namespace: string): Promise<void> {
    const signal = AbortSignal.timeout(REMOVAL_MILLIS);
    const present = [...(await this.#directory.list()).values()].filter((agent) => 'address' in agent);
    const { silent } = await askAgents(
      present,
      async (endpoint) => {
        for (;;) {
          const part = await this.#agents.list(endpoint, { namespace, after: undefined, limit: PART_SIZE }, signal);
          for (const checkpoint of part.items) await this.#agents.remove(endpoint, keyOf(checkpoint), signal);
          if (part.isComplete) return;
        }
      },
      this.#askBy(signal),
    );
    if (silent.length === 0) return;
    throw makeServiceUnavailableError(`checkpoints remain on nodes that did not answer: ${formatNodes(silent)}`);
  }

  #askBy(signal: AbortSignal): AskOptions {
    return {
      signal,
      onSilent: (node, reason) => this.#logger.info({ node, reason }, 'an agent did not answer'),
    };
  }

  /** Takes note of where a checkpoint is. */
  remember(checkpoint: Checkpoint): void {
    const name = nameKey(keyOf(checkpoint));
    this.#located.delete(name);
    this.#located.set(name, checkpoint.spec.nodeName);
    if (this.#located.size <= MAX_LOCATED) return;
    const oldest = this.#located.keys().next();
    if (oldest.done !== true) this.#located.delete(oldest.value);
  }

  async #update(request: HeldObjectRequest, live: HeldObject, next: HeldObject): Promise<HeldObject> {
    const [old, wanted] = [live, next] as unknown as [Checkpoint, Checkpoint];
    const pinned = wanted.spec.pinned ?? false;
    if (pinned === (old.spec.pinned ?? false)) return next;
    const endpoint = await this.#directory.find(old.spec.nodeName);
    const changed = await this.#agents.setPinned(endpoint, request, pinned, request.signal);
    if (changed === undefined) throw makeNotFoundError(this.#group, RESOURCE, request.name);
    return toHeld(changed);
  }

  async #remove(request: HeldObjectRequest): Promise<void> {
    const { endpoint } = await this.locate(request, request.signal);
    const removed = await this.#agents.remove(endpoint, request, request.signal);
    this.#located.delete(nameKey(request));
    if (removed === undefined) throw makeNotFoundError(this.#group, RESOURCE, request.name);
  }

  async #list(request: HeldListRequest): Promise<HeldPage> {
    const after = readContinue(request.continue);
    const presences = await this.#directory.list();
    const asked = selectAgents(presences, request.fieldSelector);
    const sources = new Map<string, CheckpointSource>();
    const silent = new Set<string>();
    let wanted: readonly AgentPresence[] = asked;
    for (;;) {
      const size = this.#choosePartSize(request.limit, wanted.length);
      const parts = await askAgents(
        wanted,
        (endpoint) => {
          const last = sources.get(endpoint.nodeName)?.items.at(-1);
          const start = last === undefined ? after : keyOf(last);
          return this.#agents.list(
            endpoint,
            { namespace: request.namespace, after: start, limit: size },
            request.signal,
          );
        },
        this.#askBy(request.signal),
      );
      for (const [nodeName, part] of parts.answers) {
        const items = [...(sources.get(nodeName)?.items ?? []), ...part.items];
        sources.set(nodeName, { nodeName, items, isComplete: part.isComplete });
      }
      for (const nodeName of parts.silent) {
        silent.add(nodeName);
        // What it told before it fell silent would pass for all that it holds.
        sources.delete(nodeName);
      }
      checkSize(sources);
      const page = planCheckpointPage([...sources.values()], request.limit, (item) => request.matches(toHeld(item)));
      if (page.wanted.length === 0) return this.#finish(request, page.items, page.next, [...silent], asked.length);
      wanted = page.wanted.flatMap((nodeName) => presences.get(nodeName) ?? []);
    }
  }

  #choosePartSize(limit: number, nodes: number): number {
    if (limit === 0) return PART_SIZE;
    return Math.min(PART_SIZE, Math.max(SMALLEST_PART, Math.ceil((4 * limit) / Math.max(1, nodes))));
  }

  #finish(
    request: HeldListRequest,
    items: readonly Checkpoint[],
    next: CheckpointKey | undefined,
    silent: readonly string[],
    asked: number,
  ): HeldPage {
    const names = formatNodes(silent.toSorted());
    if (silent.length > 0 && silent.length === asked) {
      throw makeServiceUnavailableError(`no checkpoints can be listed, since these nodes did not answer: ${names}`);
    }
    if (silent.length > 0) request.warn(`the list is not whole: these nodes did not answer: ${names}`);
    return {
      items: items.map(toHeld),
      ...(next === undefined ? {} : { continue: encodeContinueToken({ startAfter: nameKey(next), revision: -1 }) }),
    };
  }
}

function nameKey({ namespace, name }: CheckpointKey): string {
  return `${namespace}/${name}`;
}

function toHeld(checkpoint: Checkpoint): HeldObject {
  return checkpoint as unknown as HeldObject;
}

/** Where a page begins; `undefined`: at the start. Throws 400. */
function readContinue(token: string): CheckpointKey | undefined {
  if (token === '') return undefined;
  const [namespace = '', name = '', ...rest] = decodeContinueToken(token).startAfter.split('/');
  if (name === '' || rest.length > 0) throw makeBadRequestError('invalid continue token: continue key is not valid');
  return { namespace, name };
}

/** The agents to ask: all of them, unless a selector names one node. */
function selectAgents(presences: ReadonlyMap<string, AgentPresence>, fieldSelector: string): AgentPresence[] {
  const query = parseFieldQuery(fieldSelector);
  const nodeName = 'fault' in query ? undefined : findExactValue(query, 'spec.nodeName');
  if (nodeName === undefined) return [...presences.values()];
  return [presences.get(nodeName) ?? { nodeName, obstacle: 'no agent reports from there' }];
}

function checkSize(sources: ReadonlyMap<string, CheckpointSource>): void {
  let listed = 0;
  for (const { items } of sources.values()) listed += items.length;
  if (listed > MAX_LISTED)
    throw makeTooLargeError(`more than ${MAX_LISTED} checkpoints; list them in pages, with a limit`);
}
