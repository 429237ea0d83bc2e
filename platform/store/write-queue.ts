import { toSortKey } from './key-order.ts';
import { StoreWriteFailed } from './object-store.ts';
import type { StoredObject, StoreWrite } from './object-store.ts';
import type { HistoryRow } from './packed-rows.ts';

const BATCH_WRITES = 1000;
const BATCH_BYTES = 4 << 20;

/** A write that has its revision but is not yet durable. */
export interface PendingWrite {
  readonly object: StoredObject;
  readonly sortKey: string;
  /** 0 for a creation. */
  readonly previousRevision: number;
  readonly deleted: boolean;
  readonly resolve: (object: StoredObject) => void;
  readonly reject: (error: Error) => void;
  /** Others that wait for it too. */
  waiters?: PromiseWithResolvers<void>[];
}

/** Makes rows durable; after a failure it refuses every later call of the same epoch. */
export interface RowWriter {
  commit(rows: readonly HistoryRow[], epoch: number): Promise<void>;
}

/**
 * Gives writes their revisions in order and commits them in that order, as many as wait in one transaction. When one fails, all
 * that are under way fail with it, since later ones were checked against earlier ones; their revisions are never used again.
 */
export class WriteQueue {
  readonly #writer: RowWriter;
  readonly #publish: (writes: readonly PendingWrite[]) => void;
  /** The newest write under way of each key. */
  readonly #latest = new Map<string, PendingWrite>();
  #waiting: PendingWrite[] = [];
  #committing: readonly PendingWrite[] = [];
  #revision: number;
  #epoch = 0;
  #isScheduled = false;
  #drained: PromiseWithResolvers<void> | undefined;

  /** `publish` makes durable writes visible, before their callers are told. */
  constructor(writer: RowWriter, revision: number, publish: (writes: readonly PendingWrite[]) => void) {
    this.#writer = writer;
    this.#revision = revision;
    this.#publish = publish;
  }

  /** The newest write of the key that is under way. */
  find(key: string): PendingWrite | undefined {
    return this.#latest.get(key);
  }

  /** Takes a write that has been checked against the newest state. Throws what `encode` throws; nothing is queued then. */
  add(
    write: StoreWrite,
    previousRevision: number,
    resolve: (object: StoredObject) => void,
    reject: (error: Error) => void,
  ): void {
    const { key } = write;
    const sortKey = toSortKey(key);
    const revision = ++this.#revision;
    const object = { key, revision, value: write.encode(revision) };
    const deleted = write.type === 'delete';
    const pending = { object, sortKey, previousRevision, deleted, resolve, reject };
    this.#latest.set(key, pending);
    this.#waiting.push(pending);
    if (this.#isScheduled || this.#committing.length > 0) return;
    // The requests that are ready in this turn of the event loop share one commit.
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#committing.length === 0) this.#commitNext();
    });
  }

  /** Resolves once the write that made `object` is durable, at once when it is not under way; rejects when it fails. */
  settle(object: StoredObject): Promise<void> {
    const pending = [...this.#committing, ...this.#waiting].find((write) => write.object === object);
    if (pending === undefined) return Promise.resolve();
    const waiter = Promise.withResolvers<void>();
    pending.waiters = [...(pending.waiters ?? []), waiter];
    return waiter.promise;
  }

  /** Resolves once no write is under way. */
  drain(): Promise<void> {
    if (this.#waiting.length === 0 && this.#committing.length === 0) return Promise.resolve();
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  #commitNext(): void {
    if (this.#waiting.length === 0) {
      this.#drained?.resolve();
      return;
    }
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && count < BATCH_WRITES && bytes < BATCH_BYTES) {
      bytes += this.#waiting[count++]!.object.value.byteLength;
    }
    this.#committing = this.#waiting.splice(0, count);
    this.#writer.commit(this.#committing.map(toRow), this.#epoch).then(
      () => this.#succeed(),
      (cause: unknown) => this.#fail(cause),
    );
  }

  #succeed(): void {
    const writes = this.#committing;
    this.#committing = [];
    for (const write of writes) {
      if (this.#latest.get(write.object.key) === write) this.#latest.delete(write.object.key);
    }
    this.#publish(writes);
    for (const write of writes) {
      write.resolve(write.object);
      for (const waiter of write.waiters ?? []) waiter.resolve();
    }
    this.#commitNext();
  }

  #fail(cause: unknown): void {
    const writes = [...this.#committing, ...this.#waiting];
    this.#committing = [];
    this.#waiting = [];
    this.#latest.clear();
    this.#epoch++;
    const error = new StoreWriteFailed('the write could not be made durable', { cause });
    for (const write of writes) {
      write.reject(error);
      for (const waiter of write.waiters ?? []) waiter.reject(error);
    }
    this.#commitNext();
  }
}

function toRow({ object, previousRevision, deleted }: PendingWrite): HistoryRow {
  return { revision: object.revision, previousRevision, deleted, key: object.key, value: object.value };
}
