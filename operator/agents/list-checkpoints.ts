import { makeTooLargeError } from '../../core/errors/make-status-error.ts';
import { compareKeys, keyOf, type CheckpointKey } from '../../kinds/node/checkpoint/checkpoint-key.ts';
import { CheckpointMerge } from '../../kinds/node/checkpoint/checkpoint-merge.ts';
import type { Checkpoint } from '../../kinds/node/checkpoint/schema.ts';
import { EventLoopYield } from '../../platform/process/event-loop-yield.ts';
import { makeAgentUnavailableError } from './agent-failure.ts';
import { askAgents, boundAsking } from './ask-agents.ts';
import type { CheckpointPart } from './checkpoint-agents.ts';
import type { HungAgents } from './hung-agents.ts';
import type { AgentEndpoint, AgentPresence } from './plan-agent-endpoint.ts';

/** Which checkpoints are listed, and of whom. */
export interface CheckpointListing {
  readonly agents: readonly AgentPresence[];
  /** Only what comes behind it; `undefined`: from the start. */
  readonly after: CheckpointKey | undefined;
  /** 0: all. */
  readonly limit: number;
  readonly signal: AbortSignal;
  matches(checkpoint: Checkpoint): boolean;
  /** Asks an agent for what it holds behind `after`, so many at most. */
  readPart(
    endpoint: AgentEndpoint,
    part: { readonly after: CheckpointKey | undefined; readonly limit: number },
    signal: AbortSignal,
  ): Promise<CheckpointPart>;
  /** Whose agents are not asked, as they have just hung. */
  readonly hung: HungAgents;
  /** Told why an agent gave no answer. */
  onSilent(nodeName: string, obstacle: string): void;
}

/** One page of a list. */
export interface ListedCheckpoints {
  readonly items: readonly Checkpoint[];
  /** Where the next page goes on, behind this key; `undefined` on the last one. */
  readonly next: CheckpointKey | undefined;
  /** Nodes of which nothing is in the page, since they did not answer, in the order of their names. */
  readonly silent: readonly string[];
}

/** So many are read for one page, and held at once, however many nodes there are and however few of them match. */
const MAX_READ = 20_000;
/** Nobody can read in pages who does not ask for it: what one node tells of beyond this must not keep all others from being listed. */
const MAX_OF_NODE = 5_000;
const MAX_PART = 250;
const SMALLEST_PART = 20;

/**
 * Lists the checkpoints of many nodes in one order. A page may be shorter than its limit, though others follow, when few of many match; two
 * nodes that hold the same name are never parted by its end. Where all are wanted, a node that tells of too many counts as silent, and all
 * nodes that together do are a 413.
 */
export async function listCheckpoints(listing: CheckpointListing): Promise<ListedCheckpoints> {
  const { agents, limit, matches } = listing;
  const presences = new Map(agents.map((agent) => [agent.nodeName, agent]));
  const merge = new CheckpointMerge([...presences.keys()]);
  const silent = new Set<string>();
  const items: Checkpoint[] = [];
  const slices = new EventLoopYield();
  const gather = new Gathering(listing);
  let last: CheckpointKey | undefined;
  let passed = 0;
  const finish = (next: CheckpointKey | undefined): ListedCheckpoints => ({
    // What a node told before it fell silent would pass for all that it holds.
    items: silent.size === 0 ? items : items.filter(({ spec }) => !silent.has(spec.nodeName)),
    next,
    silent: [...silent].toSorted(),
  });
  for (;;) {
    const isFull = limit > 0 && (items.length >= limit || passed >= MAX_READ);
    const item = merge.peek();
    if (item === undefined) {
      if (merge.isDone) return finish(undefined);
      if (isFull) return finish(last);
      for (const nodeName of await gather.readRound(merge, presences)) {
        merge.drop(nodeName);
        silent.add(nodeName);
      }
      continue;
    }
    const key = keyOf(item);
    if (isFull && last !== undefined && compareKeys(last, key) !== 0) return finish(last);
    merge.skip();
    last = key;
    passed++;
    if (matches(item)) items.push(item);
    if (slices.isDue()) await slices.pause();
  }
}

/** Reads for one page, in rounds. */
class Gathering {
  readonly #listing: CheckpointListing;
  readonly #enough = new AbortController();
  readonly #signal: AbortSignal;
  #partSize: number;
  readonly #readOf = new Map<string, number>();
  #read = 0;

  constructor(listing: CheckpointListing) {
    const { limit, agents, signal } = listing;
    this.#listing = listing;
    this.#signal = AbortSignal.any([boundAsking(signal), this.#enough.signal]);
    this.#partSize =
      limit === 0 ? MAX_PART : Math.max(SMALLEST_PART, Math.ceil((4 * limit) / Math.max(1, agents.length)));
  }

  /** Asks the nodes of which little is left; resolves to those that gave no answer. */
  async readRound(merge: CheckpointMerge, presences: ReadonlyMap<string, AgentPresence>): Promise<readonly string[]> {
    const { after, readPart, hung, onSilent } = this.#listing;
    const short = merge.listShort(Math.floor(this.#partSize / 2));
    const free = Math.floor((MAX_READ - merge.countLeft()) / short.size);
    const size = Math.max(1, Math.min(this.#partSize, MAX_PART, free));
    this.#partSize = 2 * size;
    const wanted = [...short.keys()].flatMap((nodeName) => presences.get(nodeName) ?? []);
    const { answers, silent } = await askAgents(
      wanted,
      async (endpoint) => {
        const start = short.get(endpoint.nodeName) ?? after;
        const part = await readPart(endpoint, { after: start, limit: size }, this.#signal);
        this.#count(endpoint.nodeName, part.items.length);
        return part;
      },
      { signal: this.#signal, hung, onSilent },
    );
    if (this.#enough.signal.aborted) {
      throw makeTooLargeError(`more than ${MAX_READ} checkpoints; list them in pages, with a limit`);
    }
    for (const [nodeName, part] of answers) merge.add(nodeName, part);
    return silent;
  }

  #count(nodeName: string, read: number): void {
    if (this.#listing.limit > 0) return;
    const before = this.#readOf.get(nodeName) ?? 0;
    if (before + read > MAX_OF_NODE) {
      this.#read -= before;
      throw makeAgentUnavailableError(nodeName, `it holds more than ${MAX_OF_NODE} checkpoints`);
    }
    this.#readOf.set(nodeName, before + read);
    this.#read += read;
    if (this.#read > MAX_READ) this.#enough.abort();
  }
}
