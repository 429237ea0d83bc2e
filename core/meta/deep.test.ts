import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepClone, deepEqual } from './deep.ts';

function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [{ a: value }];
  return value;
}

describe('deepEqual', () => {
  it.for<[string, unknown, unknown, boolean]>([
    ['same scalars', 1, 1, true],
    ['a number and a text', 1, '1', false],
    ['a number and a bigint of one value', 5, 5n, true],
    ['bigints that a number cannot tell apart', 9007199254740993n, 9007199254740992n, false],
    ['null and absence', { a: null }, {}, false],
    ['undefined and absence', { a: undefined }, {}, true],
    ['keys in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['an array and an object', [], {}, false],
    ['an inherited name and an own one', {}, { constructor: 1 }, false],
    ['a false value and null', false, null, false],
    ['lists in another order', [1, 2], [2, 1], false],
  ])('compares %s', ([, a, b, equal]) => {
    expect(deepEqual(a, b)).toBe(equal);
    expect(deepEqual(b, a)).toBe(equal);
  });

  it('follows values of any depth', () => {
    expect(deepEqual(nest(50_000), nest(50_000))).toBe(true);
  });
});

describe('deepClone', () => {
  it('yields an equal value that shares nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = deepClone(value);
        expect(copy).toEqual(value);
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
      }),
    );
  });

  it('keeps an own __proto__ as data and leaves undefined members out', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"a":1}') as Record<string, unknown>;
    value['b'] = undefined;
    const copy = deepClone(value);
    expect(Object.keys(copy)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it('follows values of any depth', () => {
    expect(deepEqual(deepClone(nest(50_000)), nest(50_000))).toBe(true);
  });
});
