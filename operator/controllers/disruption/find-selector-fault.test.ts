import { describe, expect, it } from 'vitest';

import { findSelectorFault } from './find-selector-fault.ts';

const values = Array.from({ length: 100_000 }, (_, i) => `v${i}`);

describe('findSelectorFault', () => {
  it.for([
    ['none', undefined, undefined],
    ['one that is fine', { matchLabels: { app: 'web' } }, undefined],
    [
      'every fault of a short one',
      {
        matchExpressions: [
          { key: 'a', operator: 'Like' },
          { key: 'b', operator: 'In' },
        ],
      },
      "spec.selector.matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector operator, spec.selector.matchExpressions[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    ['a long one that is fine', { matchExpressions: [{ key: 'a', operator: 'NotIn', values }] }, undefined],
  ] as const)('judges %s', async ([, selector, expected]) => {
    expect(await findSelectorFault(selector as never)).toBe(expected);
  });

  it('finds the fault of a long one', async () => {
    const matchExpressions = [{ key: 'a', operator: 'NotIn', values: [...values, '-'] }];
    expect(await findSelectorFault({ matchExpressions })).toMatch(/values\[0\]: Invalid value: "-": a valid label/);
    const labels = Object.fromEntries(values.slice(0, 2_000).map((value) => [value, '']));
    expect(await findSelectorFault({ matchLabels: { ...labels, a: '-' } })).toMatch(/Invalid value: "-"/);
  });
});
