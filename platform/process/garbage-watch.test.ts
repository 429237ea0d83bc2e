import { describe, expect, it } from 'vitest';

import { GarbageWatch } from './garbage-watch.ts';

const MIB = 1 << 20;
const secondsOfChecks = 10;

/**
 * A program that has `inUse` in use and makes `perSecond` of garbage, for a minute; how much it had allocated at most, and when collections
 * began, in seconds. Each ends with the next check.
 */
function runMinute(inUse: number, perSecond: number): { readonly most: number; readonly begun: readonly number[] } {
  const watch = new GarbageWatch(4 * MIB);
  const begun: number[] = [];
  let allocated = inUse;
  let most = 0;
  for (let turn = 0; turn < 60 * secondsOfChecks; turn += 1) {
    if (watch.check(allocated)) {
      begun.push(turn / secondsOfChecks);
      watch.await(allocated);
      allocated = inUse;
    }
    most = Math.max(most, allocated);
    allocated += perSecond / secondsOfChecks;
  }
  return { most, begun };
}

describe('garbage outside of the heap', () => {
  it.for<[what: string, inUse: number, perSecond: number, mostGarbage: number, leastGapSeconds: number]>([
    ['stays below the bound where little is made', 10 * MIB, 0.2 * MIB, 4.5 * MIB, 20],
    ['waits for ten seconds where more is made', 10 * MIB, MIB, 11 * MIB, 10],
    ['stays below four times the bound where still more is made', 10 * MIB, 2 * MIB, 17 * MIB, 8],
    ['stays below the bound in a flood', 10 * MIB, 8 * MIB, 5 * MIB, 0.5],
    ['may be a quarter of what is in use', 400 * MIB, 8 * MIB, 102 * MIB, 10],
  ])('%s', ([, inUse, perSecond, mostGarbage, leastGapSeconds]) => {
    const { most, begun } = runMinute(inUse, perSecond);
    expect(most - inUse).toBeLessThanOrEqual(mostGarbage);
    expect(begun.length).toBeGreaterThan(1);
    for (const [place, at] of begun.slice(1).entries())
      expect(at - (begun[place] ?? 0)).toBeGreaterThanOrEqual(leastGapSeconds);
  });

  it('is not looked for where what is in use grows no more', () => {
    expect(runMinute(100 * MIB, 0).begun).toEqual([]);
  });

  it('is looked for again after a collection that did not end', () => {
    const watch = new GarbageWatch(4 * MIB);
    watch.check(10 * MIB);
    expect(watch.check(15 * MIB)).toBe(true);
    watch.await(12 * MIB);
    const asked = Array.from({ length: 200 }, (_, turn) => watch.check((15 + turn) * MIB));
    expect(asked.slice(0, 50)).not.toContain(true);
    expect(asked).toContain(true);
  });
});
