import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LabelSelector, matchesLabelSelector } from '../../core/selectors/label-selector.ts';
import { findCommonSelector } from './find-common-selector.ts';

const inA: LabelSelector = { matchLabels: { team: 'a' } };
const inB: LabelSelector = { matchExpressions: [{ key: 'team', operator: 'In', values: ['b'] }] };
const notC: LabelSelector = { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['c', 'd'] }] };
const notD: LabelSelector = { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['d'] }] };
const exists: LabelSelector = { matchExpressions: [{ key: 'team', operator: 'Exists' }] };
const missing: LabelSelector = { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] };
const prod: LabelSelector = { matchLabels: { stage: 'prod' } };

describe('findCommonSelector', () => {
  it.for<[string, LabelSelector[][], object[]]>([
    ['nothing', [], []],
    ['an alternative without selectors', [[inA], []], []],
    ['one of labels', [[inA]], [{ key: 'team', operator: 'In', values: ['a'] }]],
    ['values of one label', [[inA], [inB]], [{ key: 'team', operator: 'In', values: ['a', 'b'] }]],
    ['labels that differ', [[inA], [prod]], []],
    ['a label that all ask for', [[inA, prod], [prod]], [{ key: 'stage', operator: 'In', values: ['prod'] }]],
    ['values that all leave out', [[notC], [notD]], [{ key: 'team', operator: 'NotIn', values: ['d'] }]],
    ['some values and all but others', [[inA], [notC]], [{ key: 'team', operator: 'NotIn', values: ['c', 'd'] }]],
    [
      'all but some, where there is one',
      [[exists, notD]],
      [
        { key: 'team', operator: 'Exists' },
        { key: 'team', operator: 'NotIn', values: ['d'] },
      ],
    ],
    ['a value or any', [[inA], [exists]], [{ key: 'team', operator: 'Exists' }]],
    ['none', [[missing]], [{ key: 'team', operator: 'DoesNotExist' }]],
    ['none or some', [[missing], [inA]], []],
    ['what cannot be', [[inA, inB]], []],
  ])('%s', ([, alternatives, expected]) => {
    expect(findCommonSelector(alternatives)).toEqual(expected);
  });

  const key = fc.constantFrom('team', 'stage');
  const value = fc.constantFrom('a', 'b', 'c');
  const requirement = fc.oneof(
    fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values: fc.uniqueArray(value, { minLength: 1 }) }),
    fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  );
  const selector: fc.Arbitrary<LabelSelector> = fc.record(
    { matchLabels: fc.dictionary(key, value), matchExpressions: fc.array(requirement, { maxLength: 3 }) },
    { requiredKeys: [] },
  );

  it('lets through whatever one of the alternatives does', () => {
    const alternatives = fc.array(fc.array(selector, { maxLength: 2 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(alternatives, fc.dictionary(key, value), (alternative, labels) => {
        const isLetThrough = alternative.some((all) => all.every((one) => matchesLabelSelector(one, labels)));
        const matchExpressions = findCommonSelector(alternative) as LabelSelector['matchExpressions'] & {};
        expect(!isLetThrough || matchesLabelSelector({ matchExpressions }, labels)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
