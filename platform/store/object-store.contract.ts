import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RevisionCompacted, StoreConflict, StoreWriteFailed } from './object-store.ts';
import type { ObjectStore, StoredObject, StoreEvent, StoreWatch, StoreWrite } from './object-store.ts';

/** One driver under test: a store of its own, fresh for each test. */
export interface StoreUnderTest {
  readonly store: ObjectStore;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<ObjectStore>;
  /** Gives up the history before the revision. */
  compact(revision: number): Promise<void>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

const encodeText = (text: string) => (revision: number) => Buffer.from(`${text}@${revision}`);

/** A write that creates the key. */
export function makeCreate(key: string, text = 'new'): StoreWrite {
  return { type: 'create', key, encode: encodeText(text) };
}

/** A write that changes the object that was read. */
export function makeUpdate(object: StoredObject, text = 'changed'): StoreWrite {
  return { type: 'update', key: object.key, expectedRevision: object.revision, encode: encodeText(text) };
}

/** A write that deletes the object that was read. */
export function makeDelete(object: StoredObject, text = 'last'): StoreWrite {
  return { type: 'delete', key: object.key, expectedRevision: object.revision, encode: encodeText(text) };
}

/** An event in one line. */
export function describeEvent(event: StoreEvent): string {
  const previous = event.previous === undefined ? '' : ` was ${event.previous.toString()}`;
  return `${event.type} ${event.key} ${event.value.toString()}${previous}`;
}

/** Reads a watch until it has nothing more to give. */
export async function readAll(watch: StoreWatch, max = 1000): Promise<StoreEvent[]> {
  const events: StoreEvent[] = [];
  for (;;) {
    const page = await watch.read(max);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

/** The contract that every driver of ObjectStore fulfils. */
export function describeObjectStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`object store: ${name}`, () => {
    let subject: StoreUnderTest;
    let store: ObjectStore;

    beforeEach(async () => {
      subject = await open();
      store = subject.store;
    });
    afterEach(() => subject.dispose());

    const reopen = async (): Promise<void> => {
      store = await subject.reopen();
    };
    const listKeys = async (prefix: string, options = {}): Promise<string[]> =>
      (await store.list(prefix, options)).items.map(({ key }) => key);

    it('starts at a revision of at least 1, with nothing in it', async () => {
      expect(store.revision).toBeGreaterThanOrEqual(1);
      expect(store.get('/a')).toBeUndefined();
      expect(await store.list('/')).toEqual({ items: [], revision: store.revision, remaining: 0 });
    });

    it('gives the encoder the revision that the write gets', async () => {
      const before = store.revision;
      const object = await store.commit(makeCreate('/a', 'x'));
      expect(object.revision).toBeGreaterThan(before);
      expect(object.value.toString()).toBe(`x@${object.revision}`);
      expect(store.get('/a')).toEqual(object);
      expect(store.revision).toBe(object.revision);
    });

    it('shows a write to readers only once it is durable, and to writers at once', async () => {
      const writing = store.commit(makeCreate('/a'));
      expect(store.get('/a')).toBeUndefined();
      expect(store.count('/')).toBe(0);
      const pending = store.getLatest('/a')!;
      expect(pending.key).toBe('/a');
      const updating = store.commit(makeUpdate(pending));
      const deleting = store.commit(makeDelete(store.getLatest('/a')!));
      expect(store.getLatest('/a')).toBeUndefined();
      const [created, updated, deleted] = await Promise.all([writing, updating, deleting]);
      expect([updated.revision > created.revision, deleted.revision > updated.revision]).toEqual([true, true]);
      expect(store.get('/a')).toBeUndefined();
    });

    it('lets others wait for a write under way', async () => {
      const writing = store.commit(makeCreate('/a'));
      const pending = store.getLatest('/a')!;
      await store.settle(pending);
      expect(store.get('/a')).toEqual(pending);
      await store.settle(await writing);
    });

    it('refuses a write that expects another state', async () => {
      const first = await store.commit(makeCreate('/a'));
      const second = await store.commit(makeUpdate(first));
      const conflicts = [makeCreate('/a'), makeUpdate(first), makeDelete(first)];
      for (const write of conflicts) {
        const error = await store.commit(write).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(StoreConflict);
        expect(error).toMatchObject({ key: '/a', currentRevision: second.revision });
      }
      const absent = { key: '/b', revision: first.revision, value: first.value };
      await expect(store.commit(makeUpdate(absent))).rejects.toMatchObject({ key: '/b', currentRevision: undefined });
      await expect(store.commit(makeDelete(absent))).rejects.toBeInstanceOf(StoreConflict);
    });

    it('lets exactly one of many creations of a key win', async () => {
      const results = await Promise.allSettled(Array.from({ length: 20 }, () => store.commit(makeCreate('/a'))));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('fails a write whose encoder throws, and goes on', async () => {
      const encode = (): Buffer => {
        throw new Error('cannot encode');
      };
      await expect(store.commit({ type: 'create', key: '/a', encode })).rejects.toThrow('cannot encode');
      expect(store.getLatest('/a')).toBeUndefined();
      await store.commit(makeCreate('/a'));
    });

    it('keeps the order of writes, however many wait', async () => {
      const objects = await Promise.all(Array.from({ length: 500 }, (_, i) => store.commit(makeCreate(`/k/${i}`))));
      const revisions = objects.map(({ revision }) => revision);
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
      expect(new Set(revisions).size).toBe(500);
      expect(store.count('/k/')).toBe(500);
    });

    it('lists in the order of the UTF-8 bytes', async () => {
      const keys = ['/z', '/a', '/a/b', '/a-b', '/é', '/\u{1f600}', '/\uff5e', '/a\0b'];
      for (const key of keys) await store.commit(makeCreate(key));
      const byBytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(await listKeys('/')).toEqual(byBytes);
      await reopen();
      expect(await listKeys('/')).toEqual(byBytes);
      expect(await listKeys('/', { startAfter: '/\uff5e' })).toEqual(['/\u{1f600}']);
    });

    it('lists and counts one prefix only', async () => {
      for (const key of ['/pods/a/1', '/pods/a/2', '/pods/ab/1', '/podsx/a/1']) await store.commit(makeCreate(key));
      expect(await listKeys('/pods/a/')).toEqual(['/pods/a/1', '/pods/a/2']);
      expect([store.count('/pods/a/'), store.count('/pods/'), store.count('/'), store.count('')]).toEqual([2, 3, 4, 4]);
    });

    it('samples the sizes of one prefix evenly', async () => {
      for (let i = 0; i < 10; i++) await store.commit(makeCreate(`/k/${i}`, 'x'.repeat(i * 100)));
      await store.commit(makeCreate('/kk/0', 'x'.repeat(5000)));
      const sizes = store.sampleSizes('/k/', 5).map((size) => Math.floor(size / 100));
      expect(sizes).toEqual([0, 2, 4, 6, 8]);
      expect(store.sampleSizes('/k/', 100)).toHaveLength(10);
      expect(store.sampleSizes('/none/', 5)).toEqual([]);
    });

    it('pages through one revision while writes go on', async () => {
      for (let i = 0; i < 10; i++) await store.commit(makeCreate(`/k/${i}`));
      const first = await store.list('/k/', { limit: 4 });
      expect([first.items.length, first.remaining]).toEqual([4, 6]);
      await store.commit(makeDelete(store.get('/k/5')!));
      await store.commit(makeUpdate(store.get('/k/6')!));
      await store.commit(makeCreate('/k/55'));
      const { revision } = first;
      const second = await store.list('/k/', { limit: 4, startAfter: '/k/3', revision });
      expect(second.items.map(({ key }) => key)).toEqual(['/k/4', '/k/5', '/k/6', '/k/7']);
      expect(second.items.every((item) => item.revision <= revision)).toBe(true);
      expect([second.remaining, second.revision]).toEqual([2, revision]);
      const third = await store.list('/k/', { limit: 4, startAfter: '/k/7', revision });
      expect([third.items.map(({ key }) => key), third.remaining]).toEqual([['/k/8', '/k/9'], 0]);
      expect(await listKeys('/k/')).toContain('/k/55');
    });

    it('lists an older revision after a restart', async () => {
      const a = await store.commit(makeCreate('/a', 'one'));
      const b = await store.commit(makeCreate('/b'));
      await store.commit(makeUpdate(a, 'two'));
      await store.commit(makeDelete(b));
      await reopen();
      const page = await store.list('/', { revision: b.revision });
      expect(await store.list('/', { revision: b.revision, isReadOnce: true })).toEqual(page);
      expect(page.items.map(({ value }) => value.toString())).toEqual([a.value.toString(), b.value.toString()]);
      expect(await listKeys('/', { revision: a.revision })).toEqual(['/a']);
      expect(await listKeys('/')).toEqual(['/a']);
    });

    it('refuses a list at a revision that is not yet written', async () => {
      await expect(store.list('/', { revision: store.revision + 1 })).rejects.toBeInstanceOf(RangeError);
    });

    it('watches the changes of a prefix, with the values before', async () => {
      const watch = store.watch('/a/', store.revision);
      expect(await watch.read(10)).toEqual([]);
      const one = await store.commit(makeCreate('/a/1', 'x'));
      await store.commit(makeCreate('/b/1'));
      const two = await store.commit(makeUpdate(one, 'y'));
      const three = await store.commit(makeDelete(two, 'z'));
      const four = await store.commit(makeCreate('/a/1', 'again'));
      const expected = [
        `put /a/1 ${one.value.toString()}`,
        `put /a/1 ${two.value.toString()} was ${one.value.toString()}`,
        `delete /a/1 ${three.value.toString()} was ${two.value.toString()}`,
        `put /a/1 ${four.value.toString()}`,
      ];
      expect((await readAll(watch, 3)).map(describeEvent)).toEqual(expected);
      expect(watch.revision).toBe(store.revision);
      const later = store.watch('/a/', one.revision);
      expect((await readAll(later)).map(describeEvent)).toEqual(expected.slice(1));
      await reopen();
      const replay = store.watch('/a/', one.revision - 1);
      expect((await readAll(replay, 1)).map(describeEvent)).toEqual(expected);
    });

    it('moves the revision of a watch on with writes under other prefixes', async () => {
      const watch = store.watch('/a/', store.revision);
      await store.commit(makeCreate('/b/1'));
      expect(watch.revision).toBe(store.revision);
      const before = store.revision;
      await store.commit(makeCreate('/a/1'));
      expect(watch.revision).toBe(before);
      await readAll(watch);
      expect(watch.revision).toBe(store.revision);
    });

    it('wakes a watch that waits when its prefix changes, and when it is closed', async () => {
      const watch = store.watch('/a/', store.revision);
      let woken = false;
      const waiting = watch.wait().then(() => (woken = true));
      await store.commit(makeCreate('/b/1'));
      expect(woken).toBe(false);
      await store.commit(makeCreate('/a/1'));
      await waiting;
      expect((await watch.read(10)).map(({ key }) => key)).toEqual(['/a/1']);
      const closing = watch.wait();
      watch.close();
      await closing;
      expect([watch.closed, await watch.read(10)]).toEqual([true, []]);
    });

    it('wakes thousands of watches of one prefix', async () => {
      const watches = Array.from({ length: 2000 }, () => store.watch('/a/', store.revision));
      const waiting = watches.map((watch) => watch.wait());
      await store.commit(makeCreate('/a/1'));
      await Promise.all(waiting);
      const counts = await Promise.all(watches.map(async (watch) => (await watch.read(5)).length));
      expect(counts.every((count) => count === 1)).toBe(true);
      for (const watch of watches) watch.close();
    });

    it('keeps current values and forgets the history before a compaction', async () => {
      const a = await store.commit(makeCreate('/a'));
      const b = await store.commit(makeCreate('/b'));
      const c = await store.commit(makeUpdate(a));
      await store.commit(makeDelete(b));
      const behind = store.watch('/', a.revision);
      await subject.compact(c.revision);
      const checkHistory = async (): Promise<void> => {
        expect(() => store.watch('/', a.revision)).toThrow(RevisionCompacted);
        await expect(store.list('/', { revision: b.revision })).rejects.toMatchObject({ oldestRevision: c.revision });
        expect(await listKeys('/', { revision: c.revision })).toEqual(['/a', '/b']);
        expect((await readAll(store.watch('/', c.revision))).map(({ type, key }) => `${type} ${key}`)).toEqual([
          'delete /b',
        ]);
        expect(store.get('/a')!.revision).toBe(c.revision);
      };
      await checkHistory();
      await expect(behind.read(10)).rejects.toBeInstanceOf(RevisionCompacted);
      await reopen();
      await checkHistory();
      await subject.compact(store.revision);
      const { revision } = store;
      await reopen();
      expect(store.revision).toBe(revision);
      expect(await listKeys('/')).toEqual(['/a']);
    });

    it('keeps values of 3 MB, and an empty one', async () => {
      const large = Buffer.alloc(3 << 20, 'x');
      await store.commit({ type: 'create', key: '/large', encode: () => large });
      await store.commit({ type: 'create', key: '/empty', encode: () => Buffer.alloc(0) });
      await reopen();
      expect(store.get('/large')!.value.equals(large)).toBe(true);
      expect(store.get('/empty')!.value.byteLength).toBe(0);
    });

    it('keeps everything over a restart, and goes on with higher revisions', async () => {
      const a = await store.commit(makeCreate('/a'));
      const b = await store.commit(makeCreate('/b'));
      await store.commit(makeDelete(a));
      const { revision } = store;
      await reopen();
      expect(store.revision).toBe(revision);
      expect((await store.list('/')).items).toEqual([b]);
      expect((await store.commit(makeCreate('/a'))).revision).toBeGreaterThan(revision);
    });

    it('finishes the writes under way when it is closed, and refuses later ones', async () => {
      const watch = store.watch('/', store.revision);
      const waiting = watch.wait();
      const writes = Array.from({ length: 50 }, (_, i) => store.commit(makeCreate(`/k/${i}`)));
      const closing = store.close();
      await expect(store.commit(makeCreate('/late'))).rejects.toBeInstanceOf(StoreWriteFailed);
      await Promise.all(writes);
      await closing;
      await waiting;
      expect(watch.closed).toBe(true);
      await reopen();
      expect(store.count('/k/')).toBe(50);
    });
  });
}
