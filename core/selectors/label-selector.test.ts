import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { FieldPath } from '../errors/field-path.ts';
import { formatFieldError } from '../errors/make-field-error.ts';
import {
  compileLabelSelector,
  formatLabelSelector,
  type LabelSelector,
  matchesLabelSelector,
  validateLabelSelector,
} from './label-selector.ts';

const seed = Number(
  process.env['BAILIWICK_SEED'] ?? (process.env['BAILIWICK_SOAK'] === '1' ? Date.now() % 2 ** 31 : 11),
);

const app = { app: 'web', tier: 'front' };

function makeExpression(operator: string, values?: string[]): LabelSelector {
  return { matchExpressions: [{ key: 'app', operator, ...(values === undefined ? {} : { values }) }] };
}

describe('matchesLabelSelector', () => {
  it.for([
    [undefined, app, false],
    [null, app, false],
    [{}, app, true],
    [{}, undefined, true],
    [{ matchLabels: { app: 'web' } }, app, true],
    [{ matchLabels: { app: 'db' } }, app, false],
    [{ matchLabels: { constructor: 'x' } }, {}, false],
    [makeExpression('In', ['web']), app, true],
    [makeExpression('In', ['web']), {}, false],
    [makeExpression('NotIn', ['web']), app, false],
    [makeExpression('NotIn', ['web']), {}, true],
    [makeExpression('Exists'), app, true],
    [makeExpression('Exists'), {}, false],
    [makeExpression('DoesNotExist'), {}, true],
    [makeExpression('Like', ['w']), app, false],
  ] as [LabelSelector | undefined | null, Record<string, string> | undefined, boolean][])(
    '%j on %j is %j',
    ([selector, labels, expected]) => {
      expect(matchesLabelSelector(selector, labels)).toBe(expected);
    },
  );
});

describe('validateLabelSelector', () => {
  it.for([
    [undefined, []],
    [{ matchLabels: { a: 'b' } }, []],
    [
      makeExpression('In'),
      ["s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
    ],
    [
      makeExpression('Exists', ['a']),
      ["s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ],
    [
      makeExpression('Like', ['a']),
      ['s.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator'],
    ],
  ] as [LabelSelector | undefined, string[]][])('%j', ([selector, expected]) => {
    expect(validateLabelSelector(selector, FieldPath.root('s')).map(formatFieldError)).toEqual(expected);
  });

  it('names the path of a bad key and a bad value', () => {
    const selector = {
      matchLabels: { '-': 'a' },
      matchExpressions: [{ key: 'a', operator: 'In', values: ['b', '-'] }],
    };
    expect(validateLabelSelector(selector, FieldPath.root('s')).map((error) => error.field)).toEqual([
      's.matchLabels',
      's.matchExpressions[0].values[1]',
    ]);
    const tolerant = validateLabelSelector(selector, FieldPath.root('s'), { allowInvalidLabelValue: true });
    expect(tolerant.map((error) => error.field)).toEqual(['s.matchLabels']);
  });
});

describe('compileLabelSelector', () => {
  const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'toString');
  const value = fc.constantFrom('', 'x', 'y');
  const labels = fc.option(fc.dictionary(key, value), { nil: undefined });
  const operator = fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Like');
  const expression = fc.record(
    { key, operator, values: fc.array(value, { maxLength: 3 }) },
    { requiredKeys: ['key', 'operator'] },
  );
  const selector = fc.option(
    fc.record(
      { matchLabels: fc.dictionary(key, value), matchExpressions: fc.array(expression, { maxLength: 4 }) },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  );

  it(`answers as matchesLabelSelector does (seed ${seed})`, () => {
    fc.assert(
      fc.property(selector, labels, (wanted, given) => {
        expect(compileLabelSelector(wanted)(given)).toBe(matchesLabelSelector(wanted, given));
      }),
      { seed, numRuns: 5_000 },
    );
  });
});

describe('formatLabelSelector', () => {
  it('orders terms by key', () => {
    const selector = {
      matchLabels: { z: '1', a: '2' },
      matchExpressions: [
        { key: 'm', operator: 'In', values: ['y', 'x'] },
        { key: 'n', operator: 'DoesNotExist' },
      ],
    };
    expect(formatLabelSelector(selector)).toBe('a=2,m in (x,y),!n,z=1');
  });
});
