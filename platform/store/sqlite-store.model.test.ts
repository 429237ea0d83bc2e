import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeEvent, makeCreate, makeDelete, makeUpdate, readAll } from './object-store.contract.ts';
import { RevisionCompacted, StoreConflict } from './object-store.ts';
import type { StoredObject, StoreWrite } from './object-store.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { SqliteStore } from './sqlite-store.ts';

interface Change {
  readonly revision: number;
  readonly key: string;
  readonly text: string | undefined;
  readonly line: string;
}

/** All changes, in order; every answer is worked out from them anew. */
class Model {
  readonly changes: Change[] = [];
  compacted = 0;

  stateAt(revision: number): Map<string, Change> {
    const state = new Map<string, Change>();
    for (const change of this.changes) {
      if (change.revision > revision) break;
      if (change.text === undefined) state.delete(change.key);
      else state.set(change.key, change);
    }
    return state;
  }
}

const KEYS = ['/a/1', '/a/2', '/a/22', '/a/\u{1f600}', '/a/\uff00', '/ab/1', '/b/1', '/b/2'];
const PREFIXES = ['', '/', '/a', '/a/', '/b/', '/b/2', '/c/'];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      writes: fc.array(
        fc.record({
          type: fc.constantFrom('create' as const, 'update' as const, 'delete' as const),
          key: fc.constantFrom(...KEYS),
          isStale: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      prefix: fc.constantFrom(...PREFIXES),
      back: fc.nat(12),
      limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      startAfter: fc.option(fc.constantFrom(...KEYS), { nil: undefined }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('watch' as const),
      prefix: fc.constantFrom(...PREFIXES),
      back: fc.nat(12),
      max: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat(8) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Writes that do not wait for each other; the checks count the ones before, under way or not. */
async function applyWrites(store: SqliteStore, model: Model, writes: Extract<Step, { do: 'write' }>['writes']) {
  const outcomes: Promise<unknown>[] = [];
  for (const { type, key, isStale } of writes) {
    const current = store.getLatest(key);
    const last = model.stateAt(Infinity).get(key);
    expect(current?.revision).toBe(last?.revision);
    const read: StoredObject = current ?? { key, revision: 1, value: Buffer.alloc(0) };
    const expected = isStale ? { ...read, revision: read.revision - 1 } : read;
    const write: StoreWrite =
      type === 'create' ? makeCreate(key) : type === 'update' ? makeUpdate(expected) : makeDelete(expected);
    const fits = type === 'create' ? last === undefined : last !== undefined && !isStale;
    let revision = 0;
    const recorded: StoreWrite = { ...write, encode: (given) => write.encode((revision = given)) };
    const outcome = store.commit(recorded);
    if (fits) {
      expect(revision).toBeGreaterThan(model.changes.at(-1)?.revision ?? 1);
      const text = write.encode(revision).toString();
      const was = last === undefined ? '' : ` was ${last.text}`;
      const line = `${type === 'delete' ? 'delete' : 'put'} ${key} ${text}${was}`;
      model.changes.push({ revision, key, text: type === 'delete' ? undefined : text, line });
      outcomes.push(outcome);
    } else {
      outcomes.push(expect(outcome).rejects.toBeInstanceOf(StoreConflict));
    }
  }
  await Promise.all(outcomes);
}

async function checkList(store: SqliteStore, model: Model, options: Extract<Step, { do: 'list' }>) {
  const revision = Math.max(1, store.revision - options.back);
  const { prefix, limit, startAfter } = options;
  const listing = store.list(prefix, {
    revision,
    ...(limit !== undefined && { limit }),
    ...(startAfter !== undefined && { startAfter }),
  });
  if (revision < model.compacted) return expect(listing).rejects.toBeInstanceOf(RevisionCompacted);
  const page = await listing;
  const all = [...model.stateAt(revision).values()]
    .filter(({ key }) => key.startsWith(prefix))
    .filter(({ key }) => startAfter === undefined || Buffer.compare(Buffer.from(key), Buffer.from(startAfter)) > 0)
    .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  const expected = all.slice(0, limit);
  expect(page.items.map((item) => [item.key, item.revision, item.value.toString()])).toEqual(
    expected.map((change) => [change.key, change.revision, change.text]),
  );
  expect([page.revision, page.remaining]).toEqual([revision, all.length - expected.length]);
}

async function checkWatch(store: SqliteStore, model: Model, { prefix, back, max }: Extract<Step, { do: 'watch' }>) {
  const after = Math.max(1, store.revision - back);
  if (after < model.compacted) {
    expect(() => store.watch(prefix, after)).toThrow(RevisionCompacted);
    return;
  }
  const watch = store.watch(prefix, after);
  const events = await readAll(watch, max);
  const expected = model.changes.filter(({ key, revision }) => revision > after && key.startsWith(prefix));
  expect(events.map(describeEvent)).toEqual(expected.map(({ line }) => line));
  expect(watch.revision).toBe(store.revision);
  watch.close();
}

it.for([
  ['recent events in memory', 16 << 20],
  ['few recent events in memory', 1500],
  ['no recent events in memory', 0],
] as const)('answers as a plain list of changes does, with %s', { timeout: 600_000 }, async ([, recentEventBytes]) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), 'store-'));
      const open = () => openSqliteStore({ file: join(folder, 'state.db'), recentEventBytes });
      let store = await open();
      try {
        const model = new Model();
        for (const next of steps) {
          if (next.do === 'write') await applyWrites(store, model, next.writes);
          else if (next.do === 'list') await checkList(store, model, next);
          else if (next.do === 'watch') await checkWatch(store, model, next);
          else if (next.do === 'compact') {
            const revision = Math.max(1, store.revision - next.back);
            model.compacted = Math.max(model.compacted, revision);
            await store.compact(revision);
          } else {
            await store.close();
            store = await open();
          }
          expect(store.count('/a/')).toBe(
            [...model.stateAt(Infinity).keys()].filter((k) => k.startsWith('/a/')).length,
          );
        }
      } finally {
        await store.close();
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: process.env['BAILIWICK_SOAK'] === '1' ? 1000 : 12 },
  );
});
