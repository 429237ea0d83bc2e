import { sleep, type Clock } from '../../../platform/process/clock.ts';
import { RevisionCompacted } from '../../../platform/store/object-store.ts';
import type { ObjectStore, StoreEvent, StoreWatch } from '../../../platform/store/object-store.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { OwnerGraph } from './owner-graph.ts';
import { readStoredUid, readTrackedObject } from './tracked-object.ts';

/** What follows the owners of all objects. */
export interface OwnerFollowerOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** Told the uids of the objects that a change may make garbage, or may let go. */
  readonly onLook: (uid: string) => void;
  /** Told when reading failed and will be tried again. */
  readonly onFailure: (error: unknown) => void;
}

const everything = '/';
const nobody: readonly string[] = [];
/** Nothing owns or is owned by what only tells of something. */
const ignoredPrefixes = ['/core/events/', '/events.k8s.io/events/'];
const readAtOnce = 250;
const pageSize = 500;
/** How soon it is tried again to read, at first and at the most. */
const firstDelayMillis = 50;
const maxDelayMillis = 30_000;

/**
 * Keeps an OwnerGraph in step with the store. It reads the one sequence of all changes, so that no owner is ever seen later than what it
 * owns, and of most objects no more than a few bytes.
 */
export class OwnerFollower {
  #graph = new OwnerGraph();
  readonly #options: OwnerFollowerOptions;
  #watch: StoreWatch | undefined;
  #pulling: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  /** Every change up to this revision is in the graph. */
  #reached = -1;
  readonly #closing = new AbortController();

  constructor(options: OwnerFollowerOptions) {
    this.#options = options;
  }

  /** As of the last sync; another one after everything had to be read again. */
  get graph(): OwnerGraph {
    return this.#graph;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Begins to follow; resolves when everything that exists has been looked at. */
  async start(): Promise<void> {
    await this.sync();
    this.#running ??= this.#follow();
  }

  /** Resolves when every write that was acknowledged before the call is in the graph. */
  async sync(): Promise<void> {
    const target = this.#options.store.revision;
    while (!this.#isClosed && this.#reached < target) {
      this.#pulling ??= this.#pull().finally(() => {
        this.#pulling = undefined;
      });
      await this.#pulling;
    }
  }

  /** Resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#watch?.close();
    await this.#running;
  }

  async #follow(): Promise<void> {
    let delayMillis = firstDelayMillis;
    while (!this.#isClosed) {
      try {
        await this.sync();
        delayMillis = firstDelayMillis;
        await this.#watch?.wait();
      } catch (error) {
        this.#options.onFailure(error);
        await sleep(this.#options.clock, delayMillis, this.#closing.signal);
        delayMillis = Math.min(maxDelayMillis, delayMillis * 2);
      }
    }
  }

  async #pull(): Promise<void> {
    try {
      await (this.#watch === undefined ? this.#readAll() : this.#readNext(this.#watch));
    } catch (error) {
      // What was read may be in the graph in part: everything is read again.
      this.#watch?.close();
      this.#watch = undefined;
      this.#reached = -1;
      if (!(error instanceof RevisionCompacted)) throw error;
    }
  }

  async #readNext(watch: StoreWatch): Promise<void> {
    const events = await watch.read(readAtOnce);
    const { revision } = watch;
    const slices = new EventLoopYield();
    for (const event of events) {
      await this.#look(this.#take(event), slices);
      await slices.pause();
    }
    this.#reached = revision;
  }

  /** Reads the state as of one revision, and what follows from there on. */
  async #readAll(): Promise<void> {
    const { store } = this.#options;
    const graph = new OwnerGraph();
    const { revision } = store;
    const slices = new EventLoopYield();
    const looks = new Set<string>();
    let startAfter = '';
    for (let remaining = 1; remaining > 0 && !this.#isClosed;) {
      const page = await store.list(everything, { limit: pageSize, startAfter, revision, isReadOnce: true });
      for (const { key, value } of page.items) {
        for (const uid of this.#put(graph, key, value)) looks.add(uid);
        await slices.pause();
      }
      remaining = page.remaining;
      startAfter = page.items.at(-1)?.key ?? startAfter;
    }
    if (this.#isClosed) return;
    this.#watch = store.watch(everything, revision);
    // Until then the former one answers: one that is half full would say of owners that nothing depends on them.
    this.#graph = graph;
    await this.#look(looks, slices);
    this.#reached = revision;
  }

  #take({ type, key, value }: StoreEvent): readonly string[] {
    if (type === 'put') return this.#put(this.#graph, key, value);
    const uid = readStoredUid(value);
    return uid === undefined ? nobody : this.#graph.remove(uid);
  }

  #put(graph: OwnerGraph, key: string, value: Buffer): readonly string[] {
    if (ignoredPrefixes.some((prefix) => key.startsWith(prefix))) return nobody;
    const uid = readStoredUid(value);
    return uid === undefined ? nobody : graph.put(uid, readTrackedObject(uid, key, value));
  }

  async #look(uids: Iterable<string>, slices: EventLoopYield): Promise<void> {
    for (const uid of uids) {
      await slices.pause();
      this.#options.onLook(uid);
    }
  }
}
