import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '../process/start-error.ts';
import { EventRing } from './event-ring.ts';
import { composePage } from './compose-page.ts';
import type { FormerObject, FormerState } from './compose-page.ts';
import { HistoryBudget } from './history-budget.ts';
import { KeyIndex } from './key-index.ts';
import { endOfPrefix, toSortKey } from './key-order.ts';
import { RevisionCompacted, StoreConflict, StoreWriteFailed } from './object-store.ts';
import type {
  ObjectStore,
  StoredObject,
  StoreEvent,
  StoreListOptions,
  StorePage,
  StoreWatch,
  StoreWrite,
} from './object-store.ts';
import type { HistoryRow } from './packed-rows.ts';
import { PrefixWatch } from './prefix-watch.ts';
import type { WatchSource } from './prefix-watch.ts';
import { ValueSlabs, type KeptObject } from './value-slabs.ts';
import { WatchSignals } from './watch-signals.ts';
import { WriterClient } from './writer-client.ts';
import { WriteQueue } from './write-queue.ts';
import type { PendingWrite } from './write-queue.ts';
import { COMPACTED_CODE } from './writer-messages.ts';
import type { OpenedFile } from './writer-messages.ts';

const SQLITE_BUSY = 5;
const COMPACTION_INTERVAL_MS = 10_000;

/** How to open a store. */
export interface SqliteStoreOptions {
  /** Path of the SQLite file; its folder is created when it is missing. */
  readonly file: string;
  /** How long superseded values are kept for watches and lists at older revisions. Default 300. */
  readonly historySeconds?: number;
  /** How many changes are kept at most (within a sixteenth). Default 250,000. */
  readonly historyRows?: number;
  /** How many bytes of changes are kept at most (within a sixteenth). Default 256 MiB. */
  readonly historyBytes?: number;
  /** Bytes of recent events in memory, shared by all watches. Default 4 MiB. */
  readonly recentEventBytes?: number;
  /** Told when giving up old history failed (a full disk); it is tried again later. */
  readonly onCompactionError?: (error: unknown) => void;
  /** Told when the thread that writes has ended by itself: from then on every write fails, until the store is opened anew. */
  readonly onWriterEnd?: (error: Error) => void;
}

/** An object store in one SQLite file, with settings beside the objects. */
export interface SqliteStore extends ObjectStore {
  /** A setting recorded in the file. */
  readSetting(name: string): string | undefined;
  /** Resolves once the setting is durable. Throws StoreWriteFailed. */
  writeSetting(name: string, value: string): Promise<void>;
  /** Gives up the history before `revision` now; current values stay. */
  compact(revision: number): Promise<void>;
}

/** Why a file could not be opened, for the person who named it. */
export class StoreOpenError extends StartError {
  override readonly name = 'StoreOpenError';
}

/**
 * Opens the file, or creates it, and locks it for as long as the process lives or until `close`. Throws a StoreOpenError that says so
 * when another process has it open, when it has a newer schema version, or when it is no object store.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 });
  const objects = new KeyIndex<KeptObject>();
  const slabs = new ValueSlabs();
  const load = ({ key, revision, value }: HistoryRow): void => {
    const { buffer, byteOffset, byteLength } = value;
    objects.set(toSortKey(key), slabs.keep({ key, revision, value: Buffer.from(buffer, byteOffset, byteLength) }));
  };
  try {
    const { writer, opened } = await WriterClient.open({ file: options.file }, load, options.onWriterEnd);
    return new SqliteObjectStore(options, writer, opened, { objects, slabs });
  } catch (cause) {
    const isLocked = (cause as { errcode?: number }).errcode === SQLITE_BUSY;
    const reason = isLocked ? 'another process has it open' : (cause as Error).message;
    throw new StoreOpenError(`cannot open the store ${options.file}: ${reason}`, { cause });
  }
}

class SqliteObjectStore implements SqliteStore, WatchSource {
  readonly ring: EventRing;
  readonly signals = new WatchSignals();
  readonly #writer: WriterClient;
  readonly #objects: KeyIndex<KeptObject>;
  readonly #slabs: ValueSlabs;
  readonly #queue: WriteQueue;
  readonly #settings: Map<string, string>;
  readonly #watches = new Set<PrefixWatch>();
  readonly #budget: HistoryBudget;
  readonly #onCompactionError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #revision: number;
  #compactedRevision: number;
  #isClosed = false;

  constructor(
    options: SqliteStoreOptions,
    writer: WriterClient,
    opened: OpenedFile,
    loaded: { readonly objects: KeyIndex<KeptObject>; readonly slabs: ValueSlabs },
  ) {
    this.#writer = writer;
    this.#objects = loaded.objects;
    this.#slabs = loaded.slabs;
    this.#revision = opened.revision;
    this.#compactedRevision = opened.compactedRevision;
    this.#settings = new Map(opened.settings);
    this.#queue = new WriteQueue(writer, opened.revision, (writes) => this.#publish(writes));
    this.ring = new EventRing(options.recentEventBytes ?? 4 << 20, opened.revision);
    const bounds = {
      seconds: options.historySeconds ?? 300,
      rows: options.historyRows ?? 250_000,
      bytes: options.historyBytes ?? 256 << 20,
    };
    this.#budget = new HistoryBudget(bounds, opened.revision, performance.now());
    this.#onCompactionError = options.onCompactionError ?? (() => undefined);
    this.#timer = setInterval(() => {
      this.#budget.record(this.#revision, 0, 0, performance.now());
      this.#compactIfDue();
    }, COMPACTION_INTERVAL_MS).unref();
    // History of earlier runs is not in the budget; a run that finds too much of it starts afresh.
    if (opened.historyRows > bounds.rows || opened.historyBytes > bounds.bytes) this.#compactNow(opened.revision);
  }

  get revision(): number {
    return this.#revision;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(toSortKey(key))?.read();
  }

  getLatest(key: string): StoredObject | undefined {
    const pending = this.#queue.find(key);
    if (pending === undefined) return this.get(key);
    return pending.deleted ? undefined : pending.object;
  }

  settle(object: StoredObject): Promise<void> {
    return this.#queue.settle(object);
  }

  count(prefix: string): number {
    const from = toSortKey(prefix);
    return this.#objects.count(from, endOfPrefix(from));
  }

  sampleSizes(prefix: string, max: number): number[] {
    const first = this.#objects.countBefore(toSortKey(prefix));
    const count = this.count(prefix);
    const taken = Math.min(count, max);
    return Array.from({ length: taken }, (_, turn) => {
      return this.#objects.at(first + Math.floor((turn * count) / taken))?.length ?? 0;
    });
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<StorePage> {
    const revision = options.revision ?? this.#revision;
    if (revision > this.#revision) throw new RangeError(`revision ${revision} is not yet written`);
    this.refuseCompacted(revision);
    const former: FormerState = new Map();
    let reached = revision;
    while (reached < this.ring.start) reached = await this.#collectOldChanges(prefix, reached, former);
    // From here to the end of the page's composition nothing may be awaited: the current state would move on.
    this.#collectRecentChanges(prefix, reached, former);
    const { items, remaining } = composePage(this.#objects, prefix, options, former);
    return { items: await this.#readValues(items), revision, remaining };
  }

  commit(write: StoreWrite): Promise<StoredObject> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new StoreWriteFailed('the store is closed');
      const current = this.getLatest(write.key);
      const isExpected = current?.revision === (write.type === 'create' ? undefined : write.expectedRevision);
      if (!isExpected) throw new StoreConflict(write.key, current?.revision);
      this.#queue.add(write, current?.revision ?? 0, resolve, reject);
    });
  }

  watch(prefix: string, afterRevision: number): StoreWatch {
    this.refuseCompacted(afterRevision);
    const watch = new PrefixWatch(this, prefix, afterRevision);
    if (this.#isClosed) watch.close();
    else this.#watches.add(watch);
    return watch;
  }

  readSetting(name: string): string | undefined {
    return this.#settings.get(name);
  }

  async writeSetting(name: string, value: string): Promise<void> {
    if (this.#isClosed) throw new StoreWriteFailed('the store is closed');
    try {
      await this.#writer.writeSetting(name, value);
    } catch (cause) {
      throw new StoreWriteFailed('the setting could not be made durable', { cause });
    }
    this.#settings.set(name, value);
  }

  async compact(revision: number): Promise<void> {
    const target = Math.min(revision, this.#revision);
    if (target <= this.#compactedRevision) return;
    this.#compactedRevision = target;
    this.ring.dropUntil(target);
    await this.#writer.compact(target);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#queue.drain();
    for (const watch of this.#watches) watch.close();
    await this.#writer.close();
  }

  refuseCompacted(revision: number): void {
    if (revision < this.#compactedRevision) throw new RevisionCompacted(this.#compactedRevision);
  }

  async readEvents(
    prefix: string,
    after: number,
    upTo: number,
    max: number,
  ): Promise<{ events: StoreEvent[]; reached: number }> {
    const range = { after, upTo, max, keysOnly: false };
    const { rows, reached } = await this.#refusingCompacted(this.#writer.readChanges(prefix, range));
    return { events: rows.map(toEvent), reached };
  }

  forget(watch: PrefixWatch): void {
    this.#watches.delete(watch);
  }

  async #collectOldChanges(prefix: string, after: number, into: FormerState): Promise<number> {
    const range = { after, upTo: this.ring.start, max: Infinity, keysOnly: true };
    const { rows, reached } = await this.#refusingCompacted(this.#writer.readChanges(prefix, range));
    for (const { key, previousRevision } of rows) {
      if (!into.has(key)) into.set(key, previousRevision === 0 ? undefined : { key, revision: previousRevision });
    }
    return reached;
  }

  #collectRecentChanges(prefix: string, after: number, into: FormerState): void {
    this.ring.visitAfter(after, ({ key, previousRevision, previous }) => {
      if (!key.startsWith(prefix) || into.has(key)) return true;
      into.set(key, previous && { key, revision: previousRevision, value: previous });
      return true;
    });
  }

  async #readValues(objects: readonly FormerObject[]): Promise<StoredObject[]> {
    const missing = objects.filter(({ value }) => value === undefined).map(({ revision }) => revision);
    if (missing.length === 0) return objects as StoredObject[];
    const rows = await this.#refusingCompacted(this.#writer.readRevisions(missing));
    const values = new Map(rows.map((row) => [row.revision, row.value as Buffer]));
    return objects.map(({ key, revision, value }) => ({ key, revision, value: value ?? values.get(revision)! }));
  }

  async #refusingCompacted<T>(reply: Promise<T>): Promise<T> {
    try {
      return await reply;
    } catch (error) {
      if ((error as { code?: string }).code !== COMPACTED_CODE) throw error;
      throw new RevisionCompacted(this.#compactedRevision);
    }
  }

  #publish(writes: readonly PendingWrite[]): void {
    let bytes = 0;
    for (const { object, sortKey, previousRevision, deleted } of writes) {
      const { key, revision } = object;
      const former = previousRevision === 0 ? undefined : this.#objects.get(sortKey);
      const previous = former && this.#slabs.release(former);
      let { value } = object;
      if (deleted) {
        this.#objects.delete(sortKey);
      } else {
        const kept = this.#slabs.keep(object);
        this.#objects.set(sortKey, kept);
        value = kept.viewValue();
      }
      this.ring.push({
        type: deleted ? 'delete' : 'put',
        key,
        revision,
        value,
        previousRevision,
        ...(previous && { previous }),
      });
      this.#revision = revision;
      this.signals.notify(key, revision);
      bytes += key.length + value.byteLength;
    }
    this.#budget.record(this.#revision, writes.length, bytes, performance.now());
    this.#compactIfDue();
  }

  #compactIfDue(): void {
    const revision = this.#budget.takeCompaction(performance.now());
    if (revision !== undefined && !this.#isClosed) this.#compactNow(revision);
  }

  #compactNow(revision: number): void {
    this.compact(revision).catch(this.#onCompactionError);
  }
}

function toEvent(row: HistoryRow): StoreEvent {
  return {
    type: row.deleted ? 'delete' : 'put',
    key: row.key,
    revision: row.revision,
    value: row.value as Buffer,
    ...(row.previous && { previous: row.previous as Buffer }),
  };
}
