import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countPaths,
  decodeFieldSet,
  emptyFieldSet,
  encodeFieldSet,
  findLeaves,
  hasPath,
  intersectFieldSets,
  isEmptyFieldSet,
  isSameFieldSet,
  listPaths,
  makeFieldSet,
  subtractFieldSet,
  subtractFieldSetDeep,
  uniteFieldSets,
  type FieldSet,
} from './field-set.ts';
import { formatPath } from './path-element.ts';

function read(fields: unknown): FieldSet {
  const set = decodeFieldSet(fields);
  if ('fault' in set) throw new Error(set.fault);
  return set;
}

describe('fieldsV1', () => {
  it('is written with the parent first and steps in Kubernetes’ order', () => {
    const set = makeFieldSet([
      ['f:b', 'v:"z"'],
      ['f:b', 'k:{"name":"a"}', 'f:x'],
      ['f:b', 'k:{"name":"a"}'],
      ['f:b', 'f:c'],
      ['i:1'],
      ['f:a'],
    ]);
    const text = JSON.stringify(encodeFieldSet(set));
    expect(text).toBe('{"f:a":{},"f:b":{"f:c":{},"k:{\\"name\\":\\"a\\"}":{".":{},"f:x":{}},"v:\\"z\\"":{}},"i:1":{}}');
    expect(isSameFieldSet(read(JSON.parse(text)), set)).toBe(true);
  });

  it.for([
    ['an empty object', {}, []],
    ['nothing', undefined, []],
    ['null', null, []],
    ['a member that is null', { 'f:a': null }, ['.a']],
    ['only unknown steps below', { 'f:a': { 'r:x': {} } }, ['.a']],
    ['unknown steps', { 'r:x': { 'f:y': {} }, 'f:a': {} }, ['.a']],
    ['a parent that is no member', { 'f:a': { 'f:b': {} } }, ['.a.b']],
    ['a parent that is one', { 'f:a': { '.': {}, 'f:b': {} } }, ['.a', '.a.b']],
    ['a field called __proto__', JSON.parse('{"f:__proto__":{"f:__proto__":{}}}'), ['.__proto__.__proto__']],
  ] as const)('reads %s', ([, fields, paths]) => {
    expect(listPaths(read(fields)).map(formatPath)).toEqual(paths);
  });

  it.for([
    ['text', 'x'],
    ['a list', []],
    ['a number below', { 'f:a': 1 }],
    ['a bad step', { bogus: {} }],
  ] as const)('refuses %s', ([, fields]) => {
    expect(decodeFieldSet(fields)).toHaveProperty('fault');
  });

  it('is decoded once for the same object', () => {
    const fields = { 'f:a': {} };
    expect(decodeFieldSet(fields)).toBe(decodeFieldSet(fields));
  });
});

describe('set operations', () => {
  const a = makeFieldSet([['f:x'], ['f:x', 'f:y'], ['f:x', 'f:y', 'f:z'], ['f:w']]);

  it('subtract paths, or paths with all below', () => {
    const b = makeFieldSet([['f:x', 'f:y']]);
    expect(listPaths(subtractFieldSet(a, b)).map(formatPath)).toEqual(['.w', '.x', '.x.y.z']);
    expect(listPaths(subtractFieldSetDeep(a, b)).map(formatPath)).toEqual(['.w', '.x']);
  });

  it('find leaves', () => {
    expect(listPaths(findLeaves(a)).map(formatPath)).toEqual(['.w', '.x.y.z']);
  });

  const step = fc.constantFrom('f:a', 'f:b', 'k:{"name":"a"}', 'k:{"name":"b"}', 'v:"a"', 'v:1', 'i:0', 'i:1');
  const sets = fc
    .array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
    .map((paths) => ({ paths, set: makeFieldSet(paths) }));
  const keys = (set: FieldSet): string[] =>
    listPaths(set)
      .map((path) => path.join(' '))
      .sort();

  it('behave as sets of paths', () => {
    fc.assert(
      fc.property(sets, sets, (left, right) => {
        const leftKeys = new Set(left.paths.map((path) => path.join(' ')));
        const rightKeys = new Set(right.paths.map((path) => path.join(' ')));
        const isBelow = (key: string): boolean =>
          key.split(' ').some((_, i, steps) => rightKeys.has(steps.slice(0, i + 1).join(' ')));
        expect(keys(uniteFieldSets(left.set, right.set))).toEqual([...leftKeys.union(rightKeys)].sort());
        expect(keys(intersectFieldSets(left.set, right.set))).toEqual([...leftKeys.intersection(rightKeys)].sort());
        expect(keys(subtractFieldSet(left.set, right.set))).toEqual([...leftKeys.difference(rightKeys)].sort());
        expect(keys(subtractFieldSetDeep(left.set, right.set))).toEqual(
          [...leftKeys].filter((k) => !isBelow(k)).sort(),
        );
        expect(countPaths(left.set)).toBe(leftKeys.size);
        expect(left.paths.every((path) => hasPath(left.set, path))).toBe(true);
        expect(isSameFieldSet(left.set, right.set)).toBe(leftKeys.symmetricDifference(rightKeys).size === 0);
        expect(isEmptyFieldSet(left.set)).toBe(leftKeys.size === 0);
      }),
    );
  });

  it('have the empty set as neutral element', () => {
    fc.assert(
      fc.property(sets, ({ set }) => {
        expect(uniteFieldSets(set, emptyFieldSet)).toBe(set);
        expect(subtractFieldSet(set, emptyFieldSet)).toBe(set);
        expect(isEmptyFieldSet(intersectFieldSets(set, emptyFieldSet))).toBe(true);
        expect(isEmptyFieldSet(subtractFieldSet(set, set))).toBe(true);
      }),
    );
  });

  it('survive encoding, whatever order the keys have', () => {
    const reverse = (value: unknown): unknown =>
      Object.fromEntries(
        Object.entries(value as object)
          .reverse()
          .map(([key, child]) => [key, reverse(child)]),
      );
    fc.assert(
      fc.property(sets, ({ set }) => {
        const fields = encodeFieldSet(set);
        const read = decodeFieldSet(structuredClone(fields)) as FieldSet;
        const reread = decodeFieldSet(reverse(fields)) as FieldSet;
        expect(isSameFieldSet(read, set)).toBe(true);
        expect(JSON.stringify(encodeFieldSet(reread))).toBe(JSON.stringify(fields));
      }),
    );
  });
});
