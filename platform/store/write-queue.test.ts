import { expect, it } from 'vitest';
import { makeCreate } from './object-store.contract.ts';
import { StoreWriteFailed } from './object-store.ts';
import type { StoredObject } from './object-store.ts';
import { WriteQueue } from './write-queue.ts';
import type { PendingWrite, RowWriter } from './write-queue.ts';

/** A writer whose commits end when the test says so. */
function makeQueue(revision: number) {
  const commits: { readonly keys: string[]; readonly epoch: number; end: PromiseWithResolvers<void> }[] = [];
  const published: string[] = [];
  let onCommit: (() => void) | undefined;
  const writer: RowWriter = {
    commit: (rows, epoch) => {
      const end = Promise.withResolvers<void>();
      commits.push({ keys: rows.map(({ key }) => key), epoch, end });
      onCommit?.();
      return end.promise;
    },
  };
  const publish = (writes: readonly PendingWrite[]) => published.push(...writes.map(({ object }) => object.key));
  const queue = new WriteQueue(writer, revision, publish);
  const add = (key: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<StoredObject>();
    queue.add(makeCreate(key), 0, resolve, reject);
    return promise;
  };
  const awaitCommit = async (count: number) => {
    while (commits.length < count) await new Promise<void>((resolve) => (onCommit = resolve));
    return commits[count - 1]!;
  };
  return { queue, add, awaitCommit, published };
}

it('commits all writes of one turn together, and what comes meanwhile in the next commit', async () => {
  const { add, awaitCommit, published } = makeQueue(5);
  const early = [add('/a'), add('/b')];
  const first = await awaitCommit(1);
  const late = [add('/c'), add('/d')];
  first.end.resolve();
  expect((await Promise.all(early)).map(({ revision }) => revision)).toEqual([6, 7]);
  expect(published).toEqual(['/a', '/b']);
  const second = await awaitCommit(2);
  expect([first.keys, second.keys]).toEqual([
    ['/a', '/b'],
    ['/c', '/d'],
  ]);
  second.end.resolve();
  await Promise.all(late);
});

it('fails every write under way with the one that failed, and never uses their revisions again', async () => {
  const { queue, add, awaitCommit, published } = makeQueue(5);
  const writes = [add('/a')];
  const first = await awaitCommit(1);
  writes.push(add('/b'), add('/c'));
  const drained = queue.drain();
  const waited = [queue.settle(queue.find('/a')!.object), queue.settle(queue.find('/c')!.object)];
  const cause = new Error('database or disk is full');
  first.end.reject(cause);
  for (const outcome of await Promise.allSettled([...writes, ...waited])) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StoreWriteFailed', cause } });
    expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(StoreWriteFailed);
  }
  await drained;
  expect([queue.find('/a'), queue.find('/b'), published]).toEqual([undefined, undefined, []]);
  const again = add('/a');
  const second = await awaitCommit(2);
  expect(second.epoch).toBeGreaterThan(first.epoch);
  second.end.resolve();
  expect((await again).revision).toBe(9);
});

it('splits what waits by bytes and by count', async () => {
  const { add, awaitCommit } = makeQueue(1);
  const writes = Array.from({ length: 2500 }, (_, i) => add(`/k/${i}`));
  const sizes: number[] = [];
  for (const count of [1, 2, 3]) {
    const commit = await awaitCommit(count);
    sizes.push(commit.keys.length);
    commit.end.resolve();
  }
  await Promise.all(writes);
  expect(sizes).toEqual([1000, 1000, 500]);
});
