import { RevisionCompacted } from '../../../platform/store/object-store.ts';
import type { ObjectStore, StoreEvent, StoreWatch } from '../../../platform/store/object-store.ts';
import { EventLoopYield } from '../../apiserver/pipeline/event-loop-yield.ts';
import { OwnerGraph } from './owner-graph.ts';
import { readStoredUid, readTrackedObject } from './tracked-object.ts';

/** What follows the owners of all objects. */
export interface OwnerFollowerOptions {
  readonly store: ObjectStore;
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

/**
 * Keeps an OwnerGraph in step with the store. It reads the one sequence of all changes, so that no owner is ever seen later than what it
 * owns, and of most objects no more than a few bytes.
 */
export class OwnerFollower {
  readonly graph = new OwnerGraph();
  readonly #options: OwnerFollowerOptions;
  #watch: StoreWatch | undefined;
  #pulling: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  /** Every change up to this revision is in the graph. */
  #reached = -1;
  #isClosed = false;

  constructor(options: OwnerFollowerOptions) {
    this.#options = options;
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
    this.#isClosed = true;
    this.#watch?.close();
    await this.#running;
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.sync();
        await this.#watch?.wait();
      } catch (error) {
        this.#options.onFailure(error);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  async #pull(): Promise<void> {
    if (this.#watch === undefined) {
      await this.#readAll();
      return;
    }
    try {
      const events = await this.#watch.read(readAtOnce);
      const { revision } = this.#watch;
      const slices = new EventLoopYield();
      for (const event of events) {
        await this.#look(this.#take(event), slices);
        await slices.pause();
      }
      this.#reached = revision;
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error;
      this.#watch.close();
      this.#watch = undefined;
      this.#reached = -1;
    }
  }

  /** Reads the state as of one revision, and what follows from there on. */
  async #readAll(): Promise<void> {
    const { store } = this.#options;
    this.graph.clear();
    const { revision } = store;
    const slices = new EventLoopYield();
    let startAfter = '';
    for (let remaining = 1; remaining > 0 && !this.#isClosed;) {
      const page = await store.list(everything, { limit: pageSize, startAfter, revision });
      for (const { key, value } of page.items) {
        await this.#look(this.#put(key, value), slices);
        await slices.pause();
      }
      remaining = page.remaining;
      startAfter = page.items.at(-1)?.key ?? startAfter;
    }
    if (this.#isClosed) return;
    this.#watch = store.watch(everything, revision);
    this.#reached = revision;
  }

  #take({ type, key, value }: StoreEvent): readonly string[] {
    if (type === 'put') return this.#put(key, value);
    const uid = readStoredUid(value);
    return uid === undefined ? nobody : this.graph.remove(uid);
  }

  #put(key: string, value: Buffer): readonly string[] {
    if (ignoredPrefixes.some((prefix) => key.startsWith(prefix))) return nobody;
    const uid = readStoredUid(value);
    return uid === undefined ? nobody : this.graph.put(uid, readTrackedObject(uid, key, value));
  }

  async #look(uids: readonly string[], slices: EventLoopYield): Promise<void> {
    for (const uid of uids) {
      this.#options.onLook(uid);
      await slices.pause();
    }
  }
}
