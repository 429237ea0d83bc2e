import { describe, expect, it } from 'vitest';
import { getPercent, scaleIntOrPercent } from './int-or-string.ts';

describe('scaleIntOrPercent', () => {
  it.for([
    [5, 10, true, 5],
    ['50%', 5, true, 3],
    ['50%', 5, false, 2],
    ['0%', 5, true, 0],
    ['150%', 4, false, 6],
    ['http', 4, false, undefined],
    ['5', 4, false, undefined],
  ] as const)('%j of %d, rounded up %j, is %j', ([value, total, roundUp, expected]) => {
    expect(scaleIntOrPercent(value, total, roundUp)).toBe(expected);
  });
});

describe('getPercent', () => {
  it.for([
    ['25%', 25],
    [25, undefined],
    ['25', undefined],
    ['%', undefined],
  ] as const)('%j is %j', ([value, expected]) => {
    expect(getPercent(value)).toBe(expected);
  });
});
