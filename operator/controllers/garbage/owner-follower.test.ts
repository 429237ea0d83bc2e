import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../platform/process/clock.ts';
import { RevisionCompacted, type ObjectStore } from '../../../platform/store/object-store.ts';
import { openSqliteStore } from '../../../platform/store/sqlite-store.ts';
import { OwnerFollower } from './owner-follower.ts';

let folder: string;
let store: ObjectStore;
let follower: OwnerFollower;
let looks: string[];
let failures: unknown[];
/** What the next look throws. */
let fault: Error | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'owners-'));
  store = await openSqliteStore({ file: join(folder, 'store.db') });
  [looks, failures, fault] = [[], [], undefined];
  follower = new OwnerFollower({
    store,
    clock: systemClock,
    onLook(uid) {
      const thrown = fault;
      fault = undefined;
      if (thrown !== undefined) throw thrown;
      looks.push(uid);
    },
    onFailure: (error) => failures.push(error),
  });
});

afterEach(async () => {
  await follower.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function put(name: string): Promise<void> {
  const metadata = { name, uid: name, ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'o' }] };
  const value = Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata }));
  await store.commit({ type: 'create', key: `/core/configmaps/a/${name}`, encode: () => value });
}

describe('a follower that cannot read', () => {
  it('reads everything again after a look that failed, and loses nothing', async () => {
    await follower.start();
    fault = new Error('cannot look');
    await Promise.all(['a', 'b', 'c'].map(put));
    await vi.waitFor(() => expect(new Set(looks)).toEqual(new Set(['a', 'b', 'c'])), { timeout: 20_000 });
    expect(failures).toEqual([new Error('cannot look')]);
    expect(follower.graph.listDependents('o').map(({ uid }) => uid)).toEqual(['a', 'b', 'c']);
    await put('d');
    await follower.sync();
    expect(looks.at(-1)).toBe('d');
  });

  it('starts although what it reads is compacted meanwhile', async () => {
    await put('a');
    vi.spyOn(store, 'list').mockRejectedValueOnce(new RevisionCompacted(5));
    await follower.start();
    expect([looks, failures]).toEqual([['a'], []]);
  });

  it('answers by the former state while it reads everything again', async () => {
    await put('a');
    await follower.start();
    const { graph } = follower;
    const gate = Promise.withResolvers<void>();
    const list = store.list.bind(store);
    vi.spyOn(store, 'list').mockImplementationOnce(async (...given) => {
      await gate.promise;
      return list(...given);
    });
    fault = new Error('cannot look');
    await put('b');
    await vi.waitFor(() => expect(store.list).toHaveBeenCalled(), { timeout: 20_000 });
    expect(follower.graph.listDependents('o')).toHaveLength(2);
    gate.resolve();
    await follower.sync();
    expect(follower.graph).not.toBe(graph);
  });
});
