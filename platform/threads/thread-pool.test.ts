import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../process/clock.ts';
import type { Calculation } from './testdata/calculating-thread.ts';
import { ThreadPool } from './thread-pool.ts';

const soonMillis = 300;
const never = (): number => systemClock.now() + 60_000;

describe('thread pool', () => {
  let pool: ThreadPool<Calculation, number>;

  function makePool(maxThreads: number, maxWaiting: number): ThreadPool<Calculation, number> {
    const module = new URL('./testdata/calculating-thread.ts', import.meta.url);
    pool = new ThreadPool({ module, clock: systemClock, maxThreads, maxWaiting, heapMegabytes: 32, idleMillis: 1_000 });
    return pool;
  }

  afterEach(() => pool.close());

  it('does tasks in turn, each with its own result', async () => {
    makePool(2, 100);
    const results = Array.from({ length: 20 }, (_, i) => pool.run({ square: i }, never()));
    expect(await Promise.all(results)).toEqual(Array.from({ length: 20 }, (_, i) => i * i));
  });

  it('ends a task whose time is over, and goes on with the next', async () => {
    makePool(1, 10);
    const spinning = pool.run({ spin: true }, systemClock.now() + soonMillis);
    const next = pool.run({ square: 3 }, never());
    await expect(spinning).rejects.toMatchObject({ name: 'ThreadPoolRefusal', reason: 'deadline' });
    expect(await next).toBe(9);
  });

  it('forgets a waiting task whose time is over', async () => {
    makePool(1, 10);
    const spinning = pool.run({ spin: true }, systemClock.now() + 2 * soonMillis);
    const waiting = pool.run({ square: 3 }, systemClock.now() + soonMillis);
    await expect(waiting).rejects.toMatchObject({ reason: 'deadline' });
    await expect(spinning).rejects.toMatchObject({ reason: 'deadline' });
    expect(await pool.run({ square: 4 }, never())).toBe(16);
  });

  it('refuses tasks whose time is over together, and goes on with the next', async () => {
    makePool(1, 200);
    const endMillis = systemClock.now() + soonMillis;
    const together = Array.from({ length: 100 }, () => pool.run({ spin: true }, endMillis));
    const next = pool.run({ square: 8 }, never());
    const settled = await Promise.allSettled(together);
    expect(settled.filter((one) => one.status === 'rejected' && one.reason.reason === 'deadline')).toHaveLength(100);
    expect(await next).toBe(64);
  });

  it('refuses tasks when too many wait', async () => {
    makePool(1, 1);
    const running = pool.run({ square: 1 }, never());
    const waiting = pool.run({ square: 2 }, never());
    await expect(pool.run({ square: 3 }, never())).rejects.toMatchObject({ reason: 'full' });
    expect(await Promise.all([running, waiting])).toEqual([1, 4]);
  });

  it('serves parties in turn, and lets none fill the queue', async () => {
    const module = new URL('./testdata/calculating-thread.ts', import.meta.url);
    const bounds = { maxThreads: 1, maxWaiting: 10, maxWaitingEach: 3, heapMegabytes: 32, idleMillis: 1_000 };
    pool = new ThreadPool({ module, clock: systemClock, ...bounds });
    const order: string[] = [];
    const ask = (party: string): Promise<unknown> =>
      pool.run({ square: 2 }, never(), party).then(() => order.push(party));
    const greedy = [ask('greedy'), ask('greedy'), ask('greedy'), ask('greedy')];
    await expect(ask('greedy')).rejects.toMatchObject({ reason: 'full' });
    await Promise.all([...greedy, ask('modest'), ask('shy')]);
    expect(order).toEqual(['greedy', 'greedy', 'modest', 'shy', 'greedy', 'greedy']);
  });

  it('tells of a task that throws, and keeps its thread', async () => {
    makePool(1, 10);
    await expect(pool.run({ fault: 'no such thing' }, never())).rejects.toThrow(/no such thing/);
    expect(await pool.run({ square: 5 }, never())).toBe(25);
  });

  it('outlives a task that takes too much memory', async () => {
    makePool(1, 10);
    await expect(pool.run({ fill: true }, never())).rejects.toThrow('a thread ended with its task undone');
    expect(await pool.run({ square: 6 }, never())).toBe(36);
  });

  it('refuses a value that cannot be passed, and goes on', async () => {
    makePool(1, 10);
    const bad = { square: 1, more: () => 1 } as unknown as Calculation;
    await expect(pool.run(bad, never())).rejects.toThrow(/could not be cloned/);
    expect(await pool.run({ square: 7 }, never())).toBe(49);
  });

  it('refuses what is under way when it is closed', async () => {
    makePool(1, 10);
    const tasks = [pool.run({ spin: true }, never()), pool.run({ square: 1 }, never())];
    const settled = Promise.allSettled(tasks);
    await pool.close();
    expect((await settled).map((one) => one.status === 'rejected' && one.reason.reason)).toEqual(['closed', 'closed']);
    await expect(pool.run({ square: 1 }, never())).rejects.toMatchObject({ reason: 'closed' });
  });
});
