import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeObjectStore, makeCreate, makeUpdate, readAll } from './object-store.contract.ts';
import { RevisionCompacted, StoreWriteFailed } from './object-store.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { SqliteStoreOptions } from './sqlite-store.ts';

async function openForContract(options: Partial<SqliteStoreOptions>) {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  const open = () => openSqliteStore({ file: join(folder, 'state.db'), ...options });
  let store = await open();
  return {
    store,
    reopen: async () => {
      await store.close();
      return (store = await open());
    },
    compact: (revision: number) => store.compact(revision),
    dispose: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describeObjectStore('SQLite', () => openForContract({}));
describeObjectStore('SQLite without recent events in memory', () => openForContract({ recentEventBytes: 0 }));

describe('the SQLite file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-'));
    file = join(folder, 'data', 'state.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('tells when the thread that writes has ended by itself, and only then', async () => {
    const ended = Promise.withResolvers<Error>();
    const started = once(process, 'worker') as Promise<[Worker]>;
    const broken = await openSqliteStore({ file, onWriterEnd: ended.resolve });
    const [worker] = await started;
    await worker.terminate();
    expect((await ended.promise).message).toBe('the writer thread has ended');
    await expect(broken.commit(makeCreate('/a', 'b'))).rejects.toThrow(StoreWriteFailed);
    await broken.close();

    const told: Error[] = [];
    const sound = await openSqliteStore({ file, onWriterEnd: (error) => told.push(error) });
    await sound.close();
    expect(told).toEqual([]);
  });

  it('is readable by its owner only', async () => {
    const store = await openSqliteStore({ file });
    await store.commit(makeCreate('/a'));
    const modes = [join(folder, 'data'), file, `${file}-wal`].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    await store.close();
  });

  it('is refused at once while another process has it open', async () => {
    const store = await openSqliteStore({ file });
    const script = `
      import { openSqliteStore } from ${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)};
      await openSqliteStore({ file: ${JSON.stringify(file)} }).catch((error) => console.log(error.message));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
      encoding: 'utf8',
    });
    expect(stdout).toBe(`cannot open the store ${file}: another process has it open\n`);
    await expect(openSqliteStore({ file })).rejects.toThrow('another process has it open');
    await store.commit(makeCreate('/a'));
    await store.close();
    await (await openSqliteStore({ file })).close();
  });

  it.for([
    ['a newer schema version', 'PRAGMA user_version = 99', 'has schema version 99'],
    ['another application', 'PRAGMA application_id = 7', 'is not an object store'],
  ] as const)('is refused when it has %s', async ([, sql, message]) => {
    await (await openSqliteStore({ file })).close();
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    await expect(openSqliteStore({ file })).rejects.toThrow(message);
  });

  it('is refused when it is no database', async () => {
    await (await openSqliteStore({ file })).close();
    writeFileSync(file, 'x'.repeat(10_000));
    await expect(openSqliteStore({ file })).rejects.toThrow('file is not a database');
  });

  it('keeps settings', async () => {
    let store = await openSqliteStore({ file });
    expect(store.readSetting('domain')).toBeUndefined();
    await store.writeSetting('domain', 'one.example');
    await store.writeSetting('domain', 'two.example');
    expect(store.readSetting('domain')).toBe('two.example');
    await store.close();
    store = await openSqliteStore({ file });
    expect(store.readSetting('domain')).toBe('two.example');
    await store.close();
  });

  it.for([
    ['rows', { historyRows: 160 }],
    ['bytes', { historyBytes: 16_000 }],
  ] as const)('gives up history beyond a bound of %s and keeps its size', async ([, bounds]) => {
    const store = await openSqliteStore({ file, ...bounds });
    let object = await store.commit(makeCreate('/a', 'x'.repeat(100)));
    const first = object.revision;
    for (let i = 0; i < 1000; i++) object = await store.commit(makeUpdate(object, 'x'.repeat(100)));
    expect(() => store.watch('/', first)).toThrow(RevisionCompacted);
    expect((await readAll(store.watch('/', object.revision - 50))).length).toBe(50);
    expect(store.get('/a')).toEqual(object);
    await store.close();
    expect(statSync(file).size).toBeLessThan(200_000);
  });
});
