import { describe, expect, it } from 'vitest';

import { ContainerTurns } from './container-turns.ts';

const { signal } = new AbortController();
const waiting = { all: 100, namespace: 100, container: 100 };

describe('ContainerTurns', () => {
  it('lets one begin at a time for a key, in the order of asking', async () => {
    const turns = new ContainerTurns({ parallel: 4, waiting });
    const order: number[] = [];
    const ask = async (i: number): Promise<void> => {
      const end = await turns.take('a', signal);
      order.push(i);
      expect(turns.busyCount).toBe(1);
      await Promise.resolve();
      end?.();
    };
    await Promise.all([0, 1, 2, 3].map(ask));
    expect(order).toEqual([0, 1, 2, 3]);
    expect(turns.busyCount + turns.waitingCount).toBe(0);
  });

  it('lets only so many begin in all, and another key pass one that must wait for its own', async () => {
    const turns = new ContainerTurns({ parallel: 2, waiting });
    const endA = await turns.take('a', signal);
    const secondA = turns.take('a', signal);
    const endB = await turns.take('b', signal);
    expect([turns.busyCount, turns.waitingCount]).toEqual([2, 1]);
    expect(turns.mustWait('c')).toBe(true);
    endB?.();
    const endC = await turns.take('c', signal);
    endA?.();
    endA?.();
    (await secondA)?.();
    endC?.();
    expect([turns.busyCount, turns.waitingCount]).toEqual([0, 0]);
  });

  it('lets a key be held before all that wait for it, whatever there is in all', async () => {
    const turns = new ContainerTurns({ parallel: 1, waiting });
    const order: string[] = [];
    const endFirst = await turns.take('a', signal);
    const note = (what: string) => (end: (() => void) | undefined) => {
      order.push(what);
      return end;
    };
    const second = turns.take('a', signal).then(note('taken'));
    const held = turns.hold('a', signal).then(note('held'));
    const endOther = await turns.hold('b', signal);
    expect([turns.busyCount, turns.waitingCount]).toEqual([1, 1]);
    endFirst?.();
    const endHold = await held;
    expect([turns.busyCount, turns.mustWait('a'), turns.mustWait('b'), turns.mustWait('c')]).toEqual([
      ...[0, true, true, false],
    ]);
    endHold?.();
    (await second)?.();
    endOther?.();
    expect(order).toEqual(['held', 'taken']);
    expect([turns.mustWait('a'), turns.mustWait('b')]).toEqual([false, false]);
  });

  it('forgets who stops waiting', async () => {
    const turns = new ContainerTurns({ parallel: 1, waiting: { ...waiting, all: 1 } });
    const end = await turns.take('a', signal);
    const leaving = new AbortController();
    const left = turns.take('b', leaving.signal);
    expect(turns.isFull('b')).toBe(true);
    leaving.abort();
    expect(await left).toBeUndefined();
    expect(turns.isFull('b')).toBe(false);
    expect(await turns.take('b', leaving.signal)).toBeUndefined();
    end?.();
    expect(turns.busyCount).toBe(0);
  });
});
