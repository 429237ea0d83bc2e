import { describe, expect, it } from 'vitest';
import { ManualClock } from '../process/manual-clock.ts';
import { WorkQueue } from './work-queue.ts';
import type { WorkQueueOptions } from './work-queue.ts';

function makeQueue(work: WorkQueueOptions['work'], options: Partial<WorkQueueOptions> = {}) {
  const clock = new ManualClock();
  const failures: [string, number][] = [];
  const queue = new WorkQueue({
    clock,
    work,
    onFailure: (key, _error, count) => failures.push([key, count]),
    firstBackoffMillis: 10,
    maxBackoffMillis: 40,
    ...options,
  });
  return { clock, queue, failures };
}

describe('WorkQueue', () => {
  it('handles a key that was added many times once', async () => {
    const done: string[] = [];
    const gate = Promise.withResolvers<void>();
    const { queue } = makeQueue(async (key) => {
      await gate.promise;
      done.push(key);
    });
    for (const key of ['first', 'a', 'b', 'a', 'b', 'a']) queue.add(key);
    gate.resolve();
    await queue.waitUntilIdle();
    expect(done).toEqual(['first', 'a', 'b']);
  });

  it('handles a key again that was added while it was handled', async () => {
    let runs = 0;
    const { queue } = makeQueue(async (key) => {
      runs += 1;
      if (runs === 1) queue.add(key);
    });
    queue.add('a');
    await queue.waitUntilIdle();
    expect(runs).toBe(2);
  });

  it('leaves others their turn while many keys are handled that wait for nothing', async () => {
    const spendMillis = (millis: number): void => {
      for (const endMillis = performance.now() + millis; performance.now() < endMillis;);
    };
    let turns = 0;
    const state = { isDone: false };
    const count = (): void => {
      turns += 1;
      if (!state.isDone) setImmediate(count);
    };
    const { queue } = makeQueue(async () => spendMillis(1), { concurrency: 8 });
    setImmediate(count);
    for (let i = 0; i < 200; i += 1) queue.add(`key-${i}`);
    await queue.waitUntilIdle();
    state.isDone = true;
    // Each turn has room for about eight of them.
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it('does not begin with what gave way when it is closed', async () => {
    const done: string[] = [];
    const { queue } = makeQueue(async (key) => {
      done.push(key);
      for (const endMillis = performance.now() + 10; performance.now() < endMillis;);
    });
    queue.add('a');
    queue.add('b');
    await Promise.resolve();
    await queue.close();
    expect(done).toEqual(['a']);
  });

  it('leaves others their turn while a key asks for itself', async () => {
    const turns: number[] = [];
    let turn = 0;
    const count = (): void => {
      turn += 1;
      if (turns.length < 5) setImmediate(count);
    };
    const { queue } = makeQueue(async (key) => {
      turns.push(turn);
      if (turns.length < 5) queue.add(key);
    });
    setImmediate(count);
    queue.add('a');
    await queue.waitUntilIdle();
    expect(new Set(turns).size).toBe(5);
  });

  it('never handles one key twice at once, however many workers there are', async () => {
    const running = new Set<string>();
    let most = 0;
    const { queue } = makeQueue(
      async (key) => {
        if (running.has(key)) throw new Error('twice at once');
        running.add(key);
        most = Math.max(most, running.size);
        await new Promise((resolve) => setImmediate(resolve));
        running.delete(key);
      },
      { concurrency: 2 },
    );
    for (let i = 0; i < 20; i += 1) {
      queue.add(`k${i % 4}`);
      await Promise.resolve();
    }
    await queue.waitUntilIdle();
    expect(most).toBe(2);
  });

  it('lets owners take turns, and leaves room beside one whose keys take long', async () => {
    const begun: string[] = [];
    const gate = Promise.withResolvers<void>();
    const { queue } = makeQueue(
      async (key) => {
        begun.push(key);
        if (key.startsWith('slow')) await gate.promise;
      },
      { concurrency: 3, ownerOf: (key) => key.split('/')[0] ?? '', concurrencyOfOwner: 2 },
    );
    for (let i = 0; i < 4; i += 1) queue.add(`slow/${i}`);
    for (const key of ['a/0', 'a/1', 'a/2', 'b/0', 'b/1']) queue.add(key);
    await expect.poll(() => begun.length).toBe(7);
    expect(begun).toEqual(['slow/0', 'slow/1', 'a/0', 'a/1', 'b/0', 'a/2', 'b/1']);
    gate.resolve();
    await queue.waitUntilIdle();
    expect(begun.slice(7)).toEqual(['slow/2', 'slow/3']);
  });

  it('tries again with a delay that doubles up to its bound, and starts over after a success', async () => {
    let failing = true;
    const { clock, queue, failures } = makeQueue(async () => {
      if (failing) throw new Error('not yet');
    });
    queue.add('a');
    for (const delay of [10, 20, 40, 40]) {
      await queue.waitUntilIdle();
      const before = failures.length;
      clock.advance(delay - 1);
      await queue.waitUntilIdle();
      expect(failures.length).toBe(before);
      clock.advance(1);
    }
    await queue.waitUntilIdle();
    expect(failures.map(([, count]) => count)).toEqual([1, 2, 3, 4, 5]);
    failing = false;
    clock.advance(40);
    await queue.waitUntilIdle();
    failing = true;
    queue.add('a');
    await queue.waitUntilIdle();
    expect(failures.at(-1)).toEqual(['a', 1]);
  });

  it('looks again when it is asked to, at the earlier of two times', async () => {
    let runs = 0;
    const { clock, queue } = makeQueue(async () => {
      runs += 1;
      return runs === 1 ? { againAfterMillis: 100 } : undefined;
    });
    queue.add('a');
    await queue.waitUntilIdle();
    queue.addAfter('a', 500);
    queue.addAfter('a', 50);
    clock.advance(50);
    await queue.waitUntilIdle();
    expect(runs).toBe(2);
    clock.advance(1_000);
    await queue.waitUntilIdle();
    expect(runs).toBe(2);
  });

  it('forgets what was to be done later', async () => {
    const done: string[] = [];
    const { clock, queue } = makeQueue(async (key) => void done.push(key));
    for (const key of ['a', 'b']) queue.addAfter(key, 100);
    queue.cancelAfter('a');
    clock.advance(100);
    await queue.waitUntilIdle();
    expect(done).toEqual(['b']);
    expect(clock.pendingCount).toBe(0);
  });

  it('waits for what runs when it is closed, and begins nothing more', async () => {
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const { clock, queue } = makeQueue(async (key) => {
      await gate.promise;
      done.push(key);
    });
    for (const key of ['a', 'b']) queue.add(key);
    queue.addAfter('c', 10);
    const closed = queue.close();
    queue.add('d');
    gate.resolve();
    await closed;
    expect(done).toEqual(['a']);
    expect(clock.pendingCount).toBe(0);
  });
});
