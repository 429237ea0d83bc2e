import {
  makeBadRequestError,
  makeConflictError,
  makeNotFoundError,
  makeServiceUnavailableError,
} from '../../core/errors/make-status-error.ts';
import { StatusError } from '../../core/errors/status.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { findExactValue, parseFieldQuery } from '../../core/selectors/field-query.ts';
import { keyOf, type CheckpointKey } from '../../kinds/node/checkpoint/checkpoint-key.ts';
import { checkDns1123Subdomain } from '../../core/validation/names.ts';
import { isOfNamespace } from '../../kinds/node/checkpoint/is-of-namespace.ts';
import type { Checkpoint } from '../../kinds/node/checkpoint/schema.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { decodeContinueToken, encodeContinueToken } from '../apiserver/pipeline/continue-token.ts';
import type { HeldKindHandler, HeldListRequest, HeldObjectRequest, HeldPage } from '../apiserver/held-kind-handler.ts';
import type { AgentDirectory } from './agent-directory.ts';
import { makeAgentUnavailableError } from './agent-failure.ts';
import { askAgents, boundAsking, formatNodes, type AskOptions } from './ask-agents.ts';
import type { CheckpointAgents } from './checkpoint-agents.ts';
import { HungAgents } from './hung-agents.ts';
import { listCheckpoints } from './list-checkpoints.ts';
import type { NamespaceOrigins } from './namespace-origins.ts';
import type { AgentEndpoint, AgentPresence } from './plan-agent-endpoint.ts';

const RESOURCE = 'checkpoints';
const PART_SIZE = 250;
const MAX_LOCATED = 10_000;
const REMOVAL_MILLIS = 60_000;

type HeldObject = KubeObject & JsonObject;

/** Where a checkpoint is, and what it is. */
export interface LocatedCheckpoint {
  readonly endpoint: AgentEndpoint;
  readonly checkpoint: Checkpoint;
}

interface Search {
  readonly key: CheckpointKey;
  readonly presences: ReadonlyMap<string, AgentPresence>;
  readonly signal: AbortSignal;
  /** Asks one agent for what may be seen under the key. */
  find(endpoint: AgentEndpoint): Promise<Checkpoint | undefined>;
}

/** Checkpoints as the agents of the nodes hold them, asked for each time. */
export class HeldCheckpoints {
  readonly #agents: CheckpointAgents;
  readonly #directory: AgentDirectory;
  readonly #origins: NamespaceOrigins;
  readonly #logger: Logger;
  readonly #group: string;
  readonly #hung: HungAgents;
  readonly #ending = new AbortController();
  /** Nodes that a checkpoint was last found on, by namespace and name; the oldest go first. */
  readonly #located = new Map<string, string>();

  constructor(options: {
    readonly agents: CheckpointAgents;
    readonly directory: AgentDirectory;
    readonly origins: NamespaceOrigins;
    readonly domain: string;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#agents = options.agents;
    this.#directory = options.directory;
    this.#origins = options.origins;
    this.#logger = options.logger;
    this.#hung = new HungAgents(options.clock);
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
      delete: (request, live) => this.#remove(request, live),
    };
  }

  /**
   * Finds a checkpoint. Throws 404 when no node has it, 503 when the node that has it, or nodes that may have it, do not answer, and 409 when
   * two nodes say that they have it: one of them may not be what it seems.
   */
  async locate(key: CheckpointKey, signal: AbortSignal): Promise<LocatedCheckpoint> {
    // Nothing is called so, and both are parts of a path at agents.
    if ([key.namespace, key.name].some((part) => checkDns1123Subdomain(part).length > 0)) {
      throw makeNotFoundError(this.#group, RESOURCE, key.name);
    }
    const createdMillis = await this.#origins.read(key.namespace);
    const bounded = boundAsking(signal);
    const search: Search = {
      ...{ key, signal: bounded, presences: await this.#directory.list() },
      find: async (endpoint) => {
        const checkpoint = await this.#askWhereItIs(endpoint, bounded, (now) => this.#agents.find(now, key, bounded));
        return checkpoint !== undefined && isOfNamespace(checkpoint, createdMillis) ? checkpoint : undefined;
      },
    };
    return (await this.#findKnown(search)) ?? this.#findAnywhere(search);
  }

  /** Asks the node that it was last found on. Nobody else can tell of it while that node does not answer. */
  async #findKnown({ key, presences, find }: Search): Promise<LocatedCheckpoint | undefined> {
    const known = presences.get(this.#located.get(nameKey(key)) ?? '');
    if (known === undefined) return undefined;
    if ('obstacle' in known) throw makeAgentUnavailableError(known.nodeName, known.obstacle);
    const checkpoint = await find(known);
    const now = presences.get(known.nodeName);
    if (checkpoint !== undefined && now !== undefined && isPresent(now)) return { endpoint: now, checkpoint };
    this.#located.delete(nameKey(key));
    return undefined;
  }

  async #findAnywhere({ key, presences, signal, find }: Search): Promise<LocatedCheckpoint> {
    const { answers, silent } = await askAgents([...presences.values()], find, this.#askBy(signal));
    const found = [...answers].flatMap(([nodeName, checkpoint]) => {
      const endpoint = presences.get(nodeName);
      return checkpoint === undefined || endpoint === undefined || !isPresent(endpoint)
        ? []
        : [{ endpoint, checkpoint }];
    });
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) {
      // A node that is silent may have it as well.
      if (silent.length === 0) this.#remember(key, only.endpoint.nodeName);
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

  /** Calls off what `removeAll` is about, which then throws, now and from now on. */
  endRemovals(): void {
    this.#ending.abort();
  }

  /**
   * Removes every checkpoint of a namespace. Throws a StatusError while an agent that renews its Lease does not do so; what is on nodes
   * that are gone is for their own retention.
   */
  async removeAll(namespace: string): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(REMOVAL_MILLIS), this.#ending.signal]);
    const present = [...(await this.#directory.list()).values()].filter(isPresent);
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

  /** Asks an agent, and once more where it is now when it has moved since it was last heard of, as each update moves it. */
  async #askWhereItIs<T>(
    endpoint: AgentEndpoint,
    signal: AbortSignal,
    ask: (endpoint: AgentEndpoint) => Promise<T>,
  ): Promise<T> {
    try {
      return await ask(endpoint);
    } catch (error) {
      if (!(error instanceof StatusError) || signal.aborted) throw error;
      const moved = await this.#directory.findMoved(endpoint);
      if (moved === undefined) throw error;
      return ask(moved);
    }
  }

  #askBy(signal: AbortSignal): AskOptions {
    return {
      signal,
      hung: this.#hung,
      onSilent: (node, reason) => this.#logger.info({ node, reason }, 'an agent did not answer'),
    };
  }

  #remember(key: CheckpointKey, nodeName: string): void {
    this.#located.set(nameKey(key), nodeName);
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

  async #remove(request: HeldObjectRequest, live: HeldObject): Promise<void> {
    // It goes from where it was seen, and from nowhere else.
    const endpoint = await this.#directory.find((live as unknown as Checkpoint).spec.nodeName);
    const removed = await this.#agents.remove(endpoint, request, request.signal);
    this.#located.delete(nameKey(request));
    if (removed === undefined) throw makeNotFoundError(this.#group, RESOURCE, request.name);
  }

  async #readOrigins(namespace: string | undefined): Promise<(namespace: string) => number | undefined> {
    if (namespace === undefined) {
      const all = await this.#origins.list();
      return (name) => all.get(name);
    }
    const one = await this.#origins.read(namespace);
    return () => one;
  }

  async #list(request: HeldListRequest): Promise<HeldPage> {
    const presences = await this.#directory.list();
    const asked = selectAgents(presences, request.fieldSelector);
    const readCreation = await this.#readOrigins(request.namespace);
    const { items, next, silent } = await listCheckpoints({
      ...{ agents: asked, after: readContinue(request.continue), limit: request.limit },
      ...this.#askBy(request.signal),
      matches: (checkpoint) =>
        isOfNamespace(checkpoint, readCreation(keyOf(checkpoint).namespace)) && request.matches(toHeld(checkpoint)),
      readPart: (endpoint, part, signal) =>
        this.#askWhereItIs(endpoint, signal, (now) =>
          this.#agents.list(now, { namespace: request.namespace, ...part }, signal),
        ),
    });
    const names = formatNodes(silent);
    const present = asked.filter(isPresent);
    // Agents that are gone keep nobody from listing: namespaces could not go any more, whose checkpoints a host lists first.
    if (present.length > 0 && present.every(({ nodeName }) => silent.includes(nodeName))) {
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

function isPresent(agent: AgentPresence): agent is AgentEndpoint {
  return 'address' in agent;
}
