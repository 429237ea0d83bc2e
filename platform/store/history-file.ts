import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { packRows, unpackRows } from './packed-rows.ts';
import type { PackableRow } from './packed-rows.ts';
import { COMPACTED_CODE } from './writer-messages.ts';
import type { OpenedFile, RowPage } from './writer-messages.ts';

const SCHEMA_VERSION = 1;
/** Marks the file as ours in its header ("BWLK"). */
const APPLICATION_ID = 0x42574c4b;
const PAGE_BYTES = 8192;
const CHUNK_BYTES = 1 << 20;
/** Revisions that one request looks at, so that no read keeps commits waiting for long. */
const SCAN_REVISIONS = 20_000;
const SWEEP_REVISIONS = 500;

const SCHEMA = `
  CREATE TABLE history (
    revision INTEGER PRIMARY KEY,
    previous_revision INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    key BLOB NOT NULL,
    value BLOB NOT NULL
  ) STRICT;
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE progress (name TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO progress VALUES ('compacted', 0), ('swept', 0);
`;

/** Revision, previous revision, deleted, key, value. Arrays are read faster than records. */
type RawRow = readonly [number, number, number, Uint8Array, Uint8Array];

/**
 * The SQLite file: one append-only table of changes in revision order, each pointing at the change of the same key before it.
 * There is no index by key: the newest change of each key is found once, at opening, and kept in memory by the store.
 * All methods are synchronous and meant for a thread of their own.
 */
export class HistoryFile {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #compacted: number;
  #swept: number;

  /** Opens or creates the file and locks it for this process. Throws SQLite's error; a lock is `errcode` 5. */
  constructor(file: string) {
    createPrivately(file);
    this.#database = new DatabaseSync(file, { timeout: 0 });
    try {
      this.#prepareFile();
      this.#compacted = this.#readProgress('compacted');
      this.#swept = this.#readProgress('swept');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Passes every current object to `emit`, page by page, and returns the rest of the file's state. */
  load(emit: (page: RowPage) => void): OpenedFile {
    const current = this.#statement(`
      SELECT revision, previous_revision, deleted, key, value FROM history
      WHERE deleted = 0 AND revision NOT IN (SELECT previous_revision FROM history)`);
    const page = new PageBuilder();
    let objects = 0;
    let objectBytes = 0;
    for (const raw of iterateRows(current)) {
      page.add(toRow(raw));
      objects++;
      objectBytes += raw[3].byteLength + raw[4].byteLength;
      if (page.bytes >= CHUNK_BYTES) emit(page.take());
    }
    emit(page.take());
    const rows = this.#readNumber('SELECT count(*) FROM history');
    const pages = this.#readNumber('PRAGMA page_count') - this.#readNumber('PRAGMA freelist_count');
    const settings = this.#statement('SELECT name, value FROM setting').all() as { name: string; value: string }[];
    return {
      revision: Math.max(1, this.#compacted, this.#readNumber('SELECT coalesce(max(revision), 0) FROM history')),
      compactedRevision: this.#compacted,
      settings: settings.map(({ name, value }) => [name, value] as const),
      historyRows: rows - objects,
      historyBytes: rows === objects ? 0 : Math.max(0, pages * PAGE_BYTES - objectBytes),
    };
  }

  /** Stores all rows in one transaction, durable when it returns; on an error none of them. */
  append(page: RowPage): void {
    const insert = this.#statement('INSERT INTO history VALUES (?, ?, ?, ?, ?)');
    this.#transact(() => {
      unpackRows(page.rows, page.count, (row) => {
        insert.run(row.revision, row.previousRevision, row.deleted ? 1 : 0, row.key, row.value);
      });
    });
  }

  writeSetting(name: string, value: string): void {
    this.#transact(() => this.#statement('INSERT OR REPLACE INTO setting VALUES (?, ?)').run(name, value));
  }

  /** Changes in (`after`, `upTo`] whose key starts with `prefix`, as many as one page and one scan may hold. */
  readChanges(
    prefix: string,
    after: number,
    upTo: number,
    max: number,
    keysOnly: boolean,
  ): RowPage & { reached: number } {
    this.#refuseCompacted(after);
    const prefixBytes = Buffer.from(prefix);
    const end = Math.min(upTo, after + SCAN_REVISIONS);
    const select = this.#statement(`
      SELECT revision, previous_revision, deleted, key, ${keysOnly ? "x''" : 'value'} AS value FROM history
      WHERE revision > ? AND revision <= ? AND substr(key, 1, ?) = ? ORDER BY revision`);
    const page = new PageBuilder();
    for (const raw of iterateRows(select, after, end, prefixBytes.byteLength, prefixBytes)) {
      const previous = keysOnly || raw[1] === 0 ? undefined : this.#readValue(raw[1]);
      page.add(toRow(raw, previous));
      if (page.count >= max || page.bytes >= CHUNK_BYTES) return { ...page.take(), reached: raw[0] };
    }
    return { ...page.take(), reached: end };
  }

  /** The changes of these revisions; throws the compaction's error when one is no longer there. */
  readRevisions(revisions: readonly number[]): RowPage {
    const select = this.#statement(
      'SELECT revision, previous_revision, deleted, key, value FROM history WHERE revision = ?',
    );
    const page = new PageBuilder();
    for (const revision of revisions) {
      const [raw] = iterateRows(select, revision);
      if (raw === undefined) throw makeCompactedError();
      page.add(toRow(raw));
    }
    return page.take();
  }

  /** Gives up the history before `revision`; `sweepSome` then frees its space. */
  compact(revision: number): void {
    if (revision <= this.#compacted) return;
    this.#writeProgress('compacted', revision);
    this.#compacted = revision;
  }

  /** Deletes some of what the compaction gave up; returns whether there is more to do. */
  sweepSome(): boolean {
    if (this.#swept >= this.#compacted) return false;
    const end = Math.min(this.#swept + SWEEP_REVISIONS, this.#compacted);
    const range = 'FROM history WHERE revision > ? AND revision <= ?';
    this.#transact(() => {
      // Superseded by a change in the range, or a deletion in the range: no revision that is still kept shows them.
      this.#statement(`DELETE FROM history WHERE revision IN (SELECT previous_revision ${range})`).run(
        this.#swept,
        end,
      );
      this.#statement(`DELETE ${range} AND deleted = 1`).run(this.#swept, end);
      this.#statement("UPDATE progress SET revision = ? WHERE name = 'swept'").run(end);
    });
    this.#swept = end;
    return end < this.#compacted;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepareFile(): void {
    const database = this.#database;
    // Exclusive locking keeps other processes out for as long as this one lives (the kernel frees the lock with it), and
    // keeps the index of the write-ahead log in memory. It must be set before the first access.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    database.exec('PRAGMA wal_autocheckpoint = 2000');
    database.exec('PRAGMA journal_size_limit = 67108864');
    database.exec('PRAGMA cache_size = -2048');
    // The lock is only taken by an access.
    database.exec('BEGIN IMMEDIATE');
    try {
      const version = this.#readNumber('PRAGMA user_version');
      const application = this.#readNumber('PRAGMA application_id');
      const isEmpty = this.#readNumber('SELECT count(*) FROM sqlite_schema') === 0;
      if (isEmpty && version === 0) {
        database.exec(SCHEMA);
        database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
        database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
      } else if (application !== APPLICATION_ID) {
        throw new Error('the file is not an object store');
      } else if (version !== SCHEMA_VERSION) {
        throw new Error(
          `the file has schema version ${version}; this program supports versions up to ${SCHEMA_VERSION}`,
        );
      }
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  #refuseCompacted(revision: number): void {
    if (revision < this.#compacted) throw makeCompactedError();
  }

  #readValue(revision: number): Uint8Array {
    const raw = this.#statement('SELECT value FROM history WHERE revision = ?').get(revision);
    if (raw === undefined) throw makeCompactedError();
    return raw['value'] as Uint8Array;
  }

  #readNumber(sql: string): number {
    return Object.values(this.#database.prepare(sql).get()!)[0] as number;
  }

  #readProgress(name: string): number {
    return this.#statement('SELECT revision FROM progress WHERE name = ?').get(name)!['revision'] as number;
  }

  #writeProgress(name: string, revision: number): void {
    this.#transact(() => this.#statement('UPDATE progress SET revision = ? WHERE name = ?').run(revision, name));
  }

  #transact(work: () => void): void {
    this.#statement('BEGIN IMMEDIATE').run();
    try {
      work();
      this.#statement('COMMIT').run();
    } catch (error) {
      // SQLite has already rolled back after some errors (a full disk, an I/O error).
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

class PageBuilder {
  #rows: PackableRow[] = [];
  bytes = 0;

  get count(): number {
    return this.#rows.length;
  }

  add(row: PackableRow): void {
    this.#rows.push(row);
    this.bytes += row.value.byteLength + (row.previous?.byteLength ?? 0) + 100;
  }

  take(): RowPage {
    const page = { rows: packRows(this.#rows), count: this.#rows.length };
    this.#rows = [];
    this.bytes = 0;
    return page;
  }
}

function iterateRows(select: StatementSync, ...bindings: SQLInputValue[]): Iterable<RawRow> {
  select.setReturnArrays(true);
  return select.iterate(...bindings) as Iterable<unknown> as Iterable<RawRow>;
}

function toRow(raw: RawRow, previous?: Uint8Array): PackableRow {
  const [revision, previousRevision, deleted, key, value] = raw;
  return { revision, previousRevision, deleted: deleted === 1, key, value, previous };
}

function makeCompactedError(): Error {
  return Object.assign(new Error('the revision is compacted'), { code: COMPACTED_CODE });
}

/** The file holds secrets, and SQLite would create it for everyone to read. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
