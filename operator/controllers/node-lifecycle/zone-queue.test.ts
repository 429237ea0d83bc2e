import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ZoneQueue } from './zone-queue.ts';

function takeAll(queue: ZoneQueue, nowMillis: number): string[] {
  const names: string[] = [];
  for (let name = queue.take(nowMillis); name !== undefined; name = queue.take(nowMillis)) names.push(name);
  return names;
}

describe('ZoneQueue', () => {
  it('lets one through at once, and the others at the rate, first come, first served', () => {
    const queue = new ZoneQueue(0.1);
    for (const name of ['a', 'b', 'c']) queue.add(name);
    expect(takeAll(queue, 0)).toEqual(['a']);
    expect(queue.findNextMillis(0)).toBe(10_000);
    expect(takeAll(queue, 9_999)).toEqual([]);
    expect(takeAll(queue, 10_000)).toEqual(['b']);
    expect(takeAll(queue, 60_000)).toEqual(['c']);
    expect(queue.findNextMillis(60_000)).toBeUndefined();
  });

  it('is at rest when nobody waits and its token is back', () => {
    const queue = new ZoneQueue(0.1);
    expect(queue.isAtRest(0)).toBe(true);
    queue.add('a');
    expect(queue.isAtRest(0)).toBe(false);
    queue.take(0);
    expect(queue.isAtRest(9_999)).toBe(false);
    expect(queue.isAtRest(10_000)).toBe(true);
    queue.setRate(0, 10_000);
    expect(queue.isAtRest(10_000)).toBe(true);
  });

  it('serves a node once, until it is removed or asked for anew', () => {
    const queue = new ZoneQueue(1_000);
    queue.add('a');
    expect(takeAll(queue, 0)).toEqual(['a']);
    queue.add('a');
    expect(takeAll(queue, 10)).toEqual([]);
    queue.addAgain('a');
    queue.addAgain('a');
    expect(takeAll(queue, 20)).toEqual(['a']);
    queue.remove('a');
    queue.add('a');
    expect(takeAll(queue, 30)).toEqual(['a']);
  });

  it('does not serve one that was removed while it waited', () => {
    const queue = new ZoneQueue(1);
    queue.add('a');
    queue.remove('a');
    expect(takeAll(queue, 0)).toEqual([]);
  });

  it('stands still at no rate, and waits a whole turn when it goes on', () => {
    const queue = new ZoneQueue(1);
    queue.setRate(0, 0);
    queue.add('a');
    expect(takeAll(queue, 1e9)).toEqual([]);
    expect(queue.findNextMillis(1e9)).toBeUndefined();
    queue.setRate(0.1, 1e9);
    expect(queue.findNextMillis(1e9)).toBe(1e9 + 10_000);
  });

  it('keeps its token when the rate changes, and begins anew when it had none', () => {
    const queue = new ZoneQueue(1);
    queue.add('a');
    queue.add('b');
    queue.setRate(0.5, 0);
    expect(takeAll(queue, 0)).toEqual(['a']);
    queue.setRate(0.1, 1_000);
    expect(queue.findNextMillis(1_000)).toBe(11_000);
  });

  it('never lets through more than one, and then one every 1/rate seconds', () => {
    const step = fc.record({ afterMillis: fc.nat(3_000), adds: fc.nat(4), again: fc.boolean() });
    fc.assert(
      fc.property(fc.constantFrom(0.1, 0.5, 2, 10), fc.array(step, { maxLength: 60 }), (rate, steps) => {
        const queue = new ZoneQueue(rate);
        const times: number[] = [];
        const waiting = new Set<string>();
        let nowMillis = 0;
        let count = 0;
        for (const { afterMillis, adds, again } of steps) {
          nowMillis += afterMillis;
          for (let added = 0; added < adds; added += 1) {
            count += 1;
            queue.add(`n${count}`);
            waiting.add(`n${count}`);
          }
          const taken = takeAll(queue, nowMillis);
          for (const name of taken) {
            times.push(nowMillis);
            expect(waiting.delete(name)).toBe(true);
            if (again) queue.addAgain(name);
            if (again) waiting.add(name);
          }
          // Whoever can go does.
          if (waiting.size > 0) expect(queue.findNextMillis(nowMillis)).toBeGreaterThan(nowMillis);
        }
        for (const [index, time] of times.entries()) {
          const next = times[index + 1];
          if (next !== undefined) expect(next - time).toBeGreaterThanOrEqual(1_000 / rate);
        }
      }),
    );
  });
});
