import { describe, expect, it } from 'vitest';
import { compareVersions } from './compare-versions.ts';

describe('compareVersions', () => {
  it('puts stable versions first, then beta, then alpha, then other names', () => {
    const sorted = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
  });

  it.for([
    ['v1', 'v1', 0],
    ['v1', 'v01x', -1],
    ['v1alpha1', 'w1', -1],
  ] as const)('compares %s and %s', ([left, right, sign]) => {
    expect(Math.sign(compareVersions(left, right))).toBe(sign);
    expect(Math.sign(compareVersions(right, left))).toBe(sign === 0 ? 0 : -sign);
  });
});
