import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../platform/process/manual-clock.ts';
import { RetryAfter } from './retry-after.ts';

/** Drops so many requests in each second; returns what the last one of each second was told. */
function drop(perSecond: readonly number[]): (number | undefined)[] {
  const clock = new ManualClock();
  const tracker = new RetryAfter(() => clock.now());
  return perSecond.map((count) => {
    let told: number | undefined;
    for (let turn = 0; turn < count; turn += 1) told = tracker.recordDrop('level');
    clock.advance(1000);
    return told;
  });
}

describe('RetryAfter', () => {
  it.for<[what: string, perSecond: number[], told: (number | undefined)[]]>([
    ['starts with a second', [1, 1, 1], [1, 1, 1]],
    ['doubles when three times as many are dropped', [3, 1], [1, 2]],
    ['waits as long before it doubles again', [3, 100, 100, 100, 100, 100], [1, 2, 2, 4, 4, 4]],
    ['goes up to 32 seconds', Array<number>(80).fill(200), [1, ...Array<number>(0)]],
    ['goes down by one when few are', [3, 6, 6, 1, 1, 1, 1, 1, 1], [1, 2, 2, 4, 4, 4, 4, 4, 4]],
    ['forgets after a quiet time', [3, 1, 0, 0, 0, 0, 1], [1, 2, undefined, undefined, undefined, undefined, 1]],
  ])('%s', ([what, perSecond, expected]) => {
    const told = drop(perSecond);
    if (what.includes('32')) expect([Math.max(...told.map(Number)), told.at(-1)]).toEqual([32, 32]);
    else expect(told).toEqual(expected);
  });

  it('keeps levels apart, and forgets those that are gone', () => {
    const clock = new ManualClock();
    const tracker = new RetryAfter(() => clock.now());
    for (let turn = 0; turn < 3; turn += 1) tracker.recordDrop('busy');
    clock.advance(1000);
    expect([tracker.recordDrop('busy'), tracker.recordDrop('other')]).toEqual([2, 1]);
    tracker.keepOnly(new Set(['other']));
    expect(tracker.recordDrop('busy')).toBe(1);
  });
});
