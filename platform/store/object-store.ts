/** A stored object at one revision: encoded JSON, `metadata.resourceVersion` included. The bytes are never changed. */
export interface StoredObject {
  readonly key: string;
  /** Revision of the write that produced this value; equals its resourceVersion. */
  readonly revision: number;
  readonly value: Buffer;
}

/**
 * One write. `encode` is called once, synchronously, with the revision that the write gets, and returns the bytes to store.
 * `expectedRevision` is the revision that the caller read; the write fails with a StoreConflict when the key has moved on.
 */
export type StoreWrite =
  | { readonly type: 'create'; readonly key: string; readonly encode: (revision: number) => Buffer }
  | {
      readonly type: 'update';
      readonly key: string;
      readonly expectedRevision: number;
      readonly encode: (revision: number) => Buffer;
    }
  /** `encode` gives the last state, with the deletion's revision, for watchers. */
  | {
      readonly type: 'delete';
      readonly key: string;
      readonly expectedRevision: number;
      readonly encode: (revision: number) => Buffer;
    };

/** The key exists (create), is absent, or has another revision than expected; `current` is what is there, in-flight writes included. */
export class StoreConflict extends Error {
  readonly key: string;
  readonly currentRevision: number | undefined;

  constructor(key: string, currentRevision: number | undefined) {
    super(`the stored object at ${key} is not the expected one`);
    this.name = 'StoreConflict';
    this.key = key;
    this.currentRevision = currentRevision;
  }
}

/** A revision is older than what the store still keeps (Kubernetes answers 410 Expired). */
export class RevisionCompacted extends Error {
  readonly oldestRevision: number;

  constructor(oldestRevision: number) {
    super(`revisions before ${oldestRevision} are compacted`);
    this.name = 'RevisionCompacted';
    this.oldestRevision = oldestRevision;
  }
}

/** A write could not be made durable (disk full, I/O error, the store is closed); `cause` says why. Nothing of it is stored. */
export class StoreWriteFailed extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'StoreWriteFailed';
  }
}

/** A change of one key. `previous` is the value before it (absent for a creation), for selectors that stop or start to match. */
export interface StoreEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** After the change; for a deletion the last state, carrying the deletion's revision. */
  readonly value: Buffer;
  readonly previous?: Buffer;
}

/**
 * A cursor over the changes of one prefix, pulled by its reader: it holds a position, never a queue of its own,
 * so that a reader that stops costs nothing.
 */
export interface StoreWatch {
  /** Every event up to this revision has been returned by `read`, or does not concern the prefix. */
  readonly revision: number;
  /** The next events, at most `max`; empty when there are none yet. Throws RevisionCompacted when the reader fell too far behind. */
  read(max: number): Promise<StoreEvent[]>;
  /** Whether the watch, or the whole store, was closed; `read` then has nothing more to give. */
  readonly closed: boolean;
  /** Resolves when `read` may have more or the watch was closed. A write under other prefixes only moves `revision` on. */
  wait(): Promise<void>;
  close(): void;
}

/** One page of a list, in key order (by bytes). */
export interface StorePage {
  readonly items: readonly StoredObject[];
  /** Revision at which the page is consistent. */
  readonly revision: number;
  /** Whether keys follow after the last item, and how many. */
  readonly remaining: number;
}

/** Bounds of a list. */
export interface StoreListOptions {
  /** Only keys greater than this one. */
  readonly startAfter?: string;
  readonly limit?: number;
  /** State as of this revision; absent means now. Throws RevisionCompacted. */
  readonly revision?: number;
  /** Whether nothing is to be remembered by the buffers of the values: later reads may then have others. */
  readonly isReadOnce?: boolean;
}

/**
 * An ordered, revisioned key-value store in the manner of etcd: one counter of revisions for all keys, strictly growing;
 * an acknowledged write is durable; reads see exactly the acknowledged writes.
 */
export interface ObjectStore {
  /** Revision of the newest committed write; at least 1. */
  readonly revision: number;
  get(key: string): StoredObject | undefined;
  /** The value that a write to `key` would meet, in-flight writes included; for callers that are about to write. */
  getLatest(key: string): StoredObject | undefined;
  /** Resolves once what `getLatest` returned is durable, for callers that answer with it. Throws StoreWriteFailed when it never is. */
  settle(object: StoredObject): Promise<void>;
  list(prefix: string, options?: StoreListOptions): Promise<StorePage>;
  count(prefix: string): number;
  /** Sizes of the values of at most `max` objects, spread evenly over those with the prefix, in bytes. */
  sampleSizes(prefix: string, max: number): number[];
  /** Resolves once the write is durable. Throws StoreConflict. */
  commit(write: StoreWrite): Promise<StoredObject>;
  /** Changes after `afterRevision`. Throws RevisionCompacted when they are no longer kept. */
  watch(prefix: string, afterRevision: number): StoreWatch;
  /** Waits for writes under way, then closes the file. */
  close(): Promise<void>;
}
