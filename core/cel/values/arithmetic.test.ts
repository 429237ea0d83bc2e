import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { addValues, divideValues, multiplyValues, negateValue, subtractValues, takeModulo } from './arithmetic.ts';
import { areEqual } from './are-equal.ts';
import { ArrayList, ConcatenatedList } from './array-list.ts';
import { CelDouble, CelError, CelUint, type CelResult, type CelValue } from './cel-value.ts';
import { compareTexts, compareValues } from './compare-values.ts';
import { toCanonicalInt } from './integers.ts';
import { toCelValue } from './json-value.ts';
import { countCodePoints } from './measure-size.ts';
import type { ValueMap } from './value-map.ts';
import { makeValueMap } from './value-map.ts';

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const edges = [0n, 1n, -1n, 2n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), maxInt, minInt, 3037000500n].map((edge) =>
  fc.constant(edge),
);
const anyInt = fc.oneof(fc.bigInt({ min: minInt, max: maxInt }), fc.bigInt({ min: -1000n, max: 1000n }), ...edges);

type Operation = readonly [
  name: string,
  operate: (first: CelValue, second: CelValue) => CelResult,
  exact: (first: bigint, second: bigint) => bigint | string,
];

const operations: readonly Operation[] = [
  ['+', addValues, (a, b) => a + b],
  ['-', subtractValues, (a, b) => a - b],
  ['*', multiplyValues, (a, b) => a * b],
  ['/', divideValues, (a, b) => (b === 0n ? 'division by zero' : a / b)],
  ['%', takeModulo, (a, b) => (b === 0n ? 'modulus by zero' : a === minInt && b === -1n ? maxInt + 1n : a % b)],
];

describe('integers', () => {
  it.for(operations)('%s is exact within 64 bits, and an error beyond', ([, operate, exact]) => {
    fc.assert(
      fc.property(anyInt, anyInt, (first, second) => {
        const expected = exact(first, second);
        const result = operate(toCanonicalInt(first), toCanonicalInt(second));
        if (typeof expected === 'string') expect(result).toEqual(new CelError(expected));
        else if (expected < minInt || expected > maxInt) expect(result).toEqual(new CelError('integer overflow'));
        else expect(result).toBe(toCanonicalInt(expected));
      }),
      { numRuns: 500 },
    );
  });

  it('are negated, but the least', () => {
    expect([negateValue(0), negateValue(5), negateValue(minInt)]).toEqual([0, -5, new CelError('integer overflow')]);
  });

  it('without a sign are never negative', () => {
    expect(subtractValues(new CelUint(5n), new CelUint(6n))).toEqual(new CelError('unsigned integer overflow'));
    expect(addValues(new CelUint(2n ** 64n - 1n), new CelUint(1n))).toEqual(new CelError('unsigned integer overflow'));
  });
});

describe('order', () => {
  const anyNumber = fc.oneof(
    anyInt.map((value) => ({ value: toCanonicalInt(value) as CelValue, exact: Number(value) })),
    fc
      .bigInt({ min: 0n, max: 2n ** 64n - 1n })
      .map((value) => ({ value: new CelUint(value) as CelValue, exact: Number(value) })),
    fc.double({ noNaN: true }).map((value) => ({ value: new CelDouble(value) as CelValue, exact: value })),
  );

  it('of numbers of different types is that of what they amount to', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (first, second) => {
        const order = compareValues(first.value, second.value);
        if (first.exact !== second.exact) expect(order).toBe(first.exact < second.exact ? -1 : 1);
        expect(areEqual(first.value, second.value)).toBe(order === 0);
      }),
    );
  });

  it('of texts is that of their code points', () => {
    const compareCodePoints = (first: string, second: string): number =>
      Buffer.compare(Buffer.from(first), Buffer.from(second));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (first, second) => {
        expect(compareTexts(first, second)).toBe(compareCodePoints(first, second));
        expect(compareTexts(`${first}\u{10000}`, `${first}\uffff${second}`)).toBe(1);
      }),
    );
  });

  it('of NaN is an error, and it equals nothing', () => {
    const nan = new CelDouble(NaN);
    expect(compareValues(nan, 1)).toEqual(new CelError('NaN values cannot be ordered'));
    expect(compareValues(1, nan)).toEqual(new CelError('NaN values cannot be ordered'));
    expect(areEqual(nan, nan)).toBe(false);
  });
});

describe('texts', () => {
  it('are counted in code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(countCodePoints(text)).toBe([...text].length);
      }),
    );
  });
});

describe('JSON and values that an expression made', () => {
  function rebuild(json: unknown): CelValue {
    if (Array.isArray(json)) {
      const items = json.map(rebuild);
      return new ConcatenatedList(new ArrayList(items.slice(0, 1)), new ArrayList(items.slice(1)));
    }
    if (typeof json !== 'object' || json === null) return toCelValue(json);
    return makeValueMap(Object.entries(json).map(([key, value]) => [key, rebuild(value)] as const)) as ValueMap;
  }

  it('are equal when they hold the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        expect(areEqual(toCelValue(json), rebuild(json))).toBe(true);
        expect(areEqual(rebuild(json), toCelValue(json))).toBe(true);
        expect(areEqual(toCelValue([json, 1]), toCelValue([json, 2]))).toBe(false);
      }),
    );
  });

  it.for([[5000], [100_000]])('are compared %d levels deep', ([depth]) => {
    const nest = (leaf: number): unknown => {
      let json: unknown = leaf;
      for (let level = 0; level < depth!; level++) json = level % 2 === 0 ? { inner: json } : [json];
      return json;
    };
    expect(areEqual(toCelValue([nest(1)]), toCelValue([nest(1)]))).toBe(true);
    expect(areEqual(toCelValue([nest(1)]), toCelValue([nest(2)]))).toBe(false);
  });
});
