import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { compareTyped } from './compare-typed.ts';
import { listPaths, makeFieldSet, type FieldSet } from './field-set.ts';
import { mergeTyped } from './merge-typed.ts';
import { formatPath } from './path-element.ts';
import { reconcileFieldSet } from './reconcile-field-set.ts';
import { removeItems } from './remove-items.ts';
import { toFieldSet } from './to-field-set.ts';
import { validateTyped } from './validate-typed.ts';

const text: StructuralSchema = { type: 'string' };
const keyed = (keys: string[], properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: 'array',
  listType: 'map',
  listMapKeys: keys,
  items: { type: 'object', properties },
});
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    text,
    number: { type: 'integer' },
    flag: { type: 'boolean' },
    quantity: { type: 'string', format: 'quantity' },
    port: { type: 'any', format: 'int-or-string' },
    any: { type: 'any' },
    map: { type: 'object', values: text },
    whole: { type: 'object', mapType: 'atomic', properties: { a: text, b: text } },
    struct: { type: 'object', properties: { a: text, b: text } },
    list: { type: 'array', items: text },
    set: { type: 'array', listType: 'set', items: text },
    named: keyed(['name'], { name: text, value: text, tags: { type: 'array', listType: 'set', items: text } }),
    ports: keyed(['port', 'protocol'], {
      port: { type: 'integer', zero: 'fill' },
      protocol: { type: 'string', default: 'TCP' },
      name: text,
    }),
    merged: {
      type: 'array',
      patchStrategy: ['merge'],
      patchMergeKey: 'name',
      items: { type: 'object', properties: { name: text } },
    },
  },
};

const show = (set: FieldSet): string[] => listPaths(set).map(formatPath);

describe('the set of an object', () => {
  it.for<[string, JsonValue, string[]]>([
    ['leaves', { text: 'a', number: 1, port: 'p' }, ['.number', '.port', '.text']],
    ['a granular map and its keys', { map: { x: '1', y: '2' } }, ['.map.x', '.map.y']],
    ['an empty map', { map: {}, struct: {} }, ['.map', '.struct']],
    ['a null', { map: null, named: null, text: null }, ['.map', '.named', '.text']],
    ['an empty keyed list: nothing', { named: [] }, []],
    ['an atomic list and map', { list: ['a', 'b'], whole: { a: '1' } }, ['.list', '.whole']],
    ['a set', { set: ['b', 'a'] }, ['.set[="a"]', '.set[="b"]']],
    [
      'items of a keyed list',
      { named: [{ name: 'a', value: '1' }] },
      ['.named[name="a"]', '.named[name="a"].name', '.named[name="a"].value'],
    ],
    [
      'several keys, absent ones by their default',
      { ports: [{ port: 1 }, { protocol: 'UDP' }] },
      [
        '.ports[port=0,protocol="UDP"]',
        '.ports[port=1,protocol="TCP"]',
        '.ports[port=0,protocol="UDP"].protocol',
        '.ports[port=1,protocol="TCP"].port',
      ],
    ],
    ['repeated items as one leaf', { named: [{ name: 'a', value: '1' }, { name: 'a' }] }, ['.named[name="a"]']],
    [
      'what the merge key tells apart where no list type is given',
      { merged: [{ name: 'a' }] },
      ['.merged[name="a"]', '.merged[name="a"].name'],
    ],
    ['any: granular maps, atomic lists', { any: { a: { b: 1, c: [1] } } }, ['.any.a', '.any.a.b', '.any.a.c']],
    ['a map key __proto__', { map: JSON.parse('{"__proto__":"x"}') as JsonValue }, ['.map.__proto__']],
  ])('has %s', ([, value, paths]) => {
    expect(show(toFieldSet(value, schema))).toEqual(paths);
  });
});

describe('a comparison', () => {
  it.for<[string, JsonValue, JsonValue, string[], string[], string[]]>([
    ['nothing', { text: 'a', list: ['x'] }, { text: 'a', list: ['x'] }, [], [], []],
    ['a leaf', { text: 'a', number: 1 }, { text: 'b', flag: true }, ['.flag'], ['.text'], ['.number']],
    ['a key', { map: { a: '1', b: '1' } }, { map: { b: '2', c: '1' } }, ['.map.c'], ['.map.b'], ['.map.a']],
    ['a whole map', {}, { map: { a: '1' } }, ['.map', '.map.a'], [], []],
    ['an atomic list', { list: ['a'] }, { list: ['a', 'b'] }, [], ['.list'], []],
    ['an atomic map', { whole: { a: '1' } }, { whole: { a: '2' } }, [], ['.whole'], []],
    ['null and empty', { map: null }, { map: {} }, [], ['.map'], []],
    ['the order of a set: nothing', { set: ['a', 'b'] }, { set: ['b', 'a'] }, [], [], []],
    ['members of a set', { set: ['a', 'b'] }, { set: ['b', 'c'] }, ['.set[="c"]'], [], ['.set[="a"]']],
    [
      'items of a keyed list',
      { named: [{ name: 'a', value: '1' }, { name: 'b' }] },
      { named: [{ name: 'c' }, { name: 'a', value: '2' }] },
      ['.named[name="c"]', '.named[name="c"].name'],
      ['.named[name="a"].value'],
      ['.named[name="b"]', '.named[name="b"].name'],
    ],
    [
      'items that become repeated',
      { named: [{ name: 'a', value: '1' }] },
      { named: [{ name: 'a' }, { name: 'a' }] },
      ['.named[name="a"]'],
      [],
      ['.named[name="a"]', '.named[name="a"].name', '.named[name="a"].value'],
    ],
    [
      'repeated items',
      { named: [{ name: 'a', value: '1' }, { name: 'a' }] },
      { named: [{ name: 'a' }, { name: 'a' }] },
      [],
      ['.named[name="a"]'],
      [],
    ],
    ['a value of any type that changes its shape', { any: 'x' }, { any: { y: 1 } }, ['.any.y'], ['.any'], []],
    ['numbers of one value: nothing', { number: 10 }, { number: 10n }, [], [], []],
  ])('finds %s', ([, before, after, added, modified, removed]) => {
    const found = compareTyped(before, after, schema);
    expect([show(found.added), show(found.modified), show(found.removed)]).toEqual([added, modified, removed]);
  });
});

describe('a merge', () => {
  const names = (...list: string[]): JsonValue => list.map((name) => ({ name }));

  it.for<[string, JsonValue, JsonValue, JsonValue]>([
    ['leaves of both', { text: 'a', number: 1 }, { text: 'b', flag: true }, { text: 'b', number: 1, flag: true }],
    ['maps by key', { map: { a: '1', b: '1' } }, { map: { b: '2' } }, { map: { a: '1', b: '2' } }],
    [
      'a null over a leaf, not over a map',
      { text: 'a', map: { a: '1' } },
      { text: null, map: null },
      { text: null, map: { a: '1' } },
    ],
    [
      'atomic values whole',
      { list: ['a'], whole: { a: '1' } },
      { list: [], whole: { b: '1' } },
      { list: [], whole: { b: '1' } },
    ],
    ['empty over empty', { map: {}, set: [] }, { map: null, set: [] }, { map: null, set: [] }],
    ['a set', { set: ['a', 'b'] }, { set: ['c', 'b'] }, { set: ['a', 'c', 'b'] }],
    ['applied items at the end', { named: names('a', 'b') }, { named: names('c') }, { named: names('a', 'b', 'c') }],
    ['the applied order', { named: names('a', 'b', 'c') }, { named: names('c', 'a') }, { named: names('b', 'c', 'a') }],
    [
      'live items behind the one they followed',
      { named: names('a', 'x', 'b', 'y') },
      { named: names('n', 'a', 'b') },
      { named: names('n', 'a', 'x', 'b', 'y') },
    ],
    [
      'items with their fields',
      { named: [{ name: 'a', value: '1', tags: ['x'] }] },
      { named: [{ name: 'a', tags: ['y'] }] },
      { named: [{ name: 'a', value: '1', tags: ['x', 'y'] }] },
    ],
    [
      'a key default',
      { ports: [{ port: 1, protocol: 'TCP', name: 'a' }] },
      { ports: [{ port: 1 }] },
      { ports: [{ port: 1, protocol: 'TCP', name: 'a' }] },
    ],
  ])('keeps %s', ([, live, applied, merged]) => {
    expect(mergeTyped(live, applied, schema)).toEqual(merged);
  });
});

describe('removing', () => {
  const live: JsonValue = {
    text: 'a',
    map: { a: '1', b: '1' },
    list: ['x'],
    set: ['a', 'b'],
    named: [{ name: 'a', value: '1' }, { name: 'b' }],
  };

  it.for<[string, string[][], JsonValue]>([
    ['a leaf and a key', [['f:text'], ['f:map', 'f:a']], { ...live, text: undefined, map: { b: '1' } }],
    [
      'items',
      [
        ['f:set', 'v:"a"'],
        ['f:named', 'k:{"name":"b"}'],
      ],
      { ...live, set: ['b'], named: [{ name: 'a', value: '1' }] },
    ],
    [
      'a field of an item',
      [['f:named', 'k:{"name":"a"}', 'f:value']],
      { ...live, named: [{ name: 'a' }, { name: 'b' }] },
    ],
    [
      'everything in a map: null',
      [
        ['f:map', 'f:a'],
        ['f:map', 'f:b'],
      ],
      { ...live, map: null },
    ],
    ['something in an atomic list: all of it', [['f:list', 'i:0']], { ...live, list: null }],
  ])('takes %s', ([, paths, rest]) => {
    expect(removeItems(live, makeFieldSet(paths), schema)).toEqual(rest);
  });
});

describe('a set written under another schema', () => {
  it('owns the whole of what is atomic now', () => {
    const set = makeFieldSet([
      ['f:whole', 'f:a'],
      ['f:list', 'i:0'],
      ['f:map', 'f:a'],
    ]);
    expect(show(reconcileFieldSet(set, schema))).toEqual(['.list', '.whole', '.map.a']);
  });

  it('is returned as it is when nothing differs', () => {
    const set = makeFieldSet([['f:whole'], ['f:map'], ['f:map', 'f:a'], ['f:unknown', 'f:x']]);
    expect(reconcileFieldSet(set, schema)).toBe(set);
  });
});

describe('a configuration', () => {
  it.for<[JsonValue, string | undefined]>([
    [{ text: 'a', number: 1.5, flag: false, quantity: 1, port: 1, any: [{}] }, undefined],
    [{ map: null, list: null, text: null }, undefined],
    [{ bogus: 1 }, '.bogus: field not declared in schema'],
    [{ text: 1 }, '.text: expected string, got &value.valueUnstructured{Value:1}'],
    [{ number: 'x' }, '.number: expected numeric (int or float), got string'],
    [{ flag: 'x' }, '.flag: expected boolean, got &{x}'],
    [{ quantity: {} }, '.quantity: expected any scalar, got &{map[]}'],
    [{ map: ['x', null] }, '.map: expected map, got &{[x <nil>]}'],
    [{ list: { a: { b: 1 } } }, '.list: expected list, got &{map[a:map[b:1]]}'],
    [{ list: ['a', 1] }, '.list[1]: expected string, got &value.valueUnstructured{Value:1}'],
    [{ set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
    [{ set: [{}] }, ".set: element 0: associative list without keys has an element that's a map type"],
    [{ set: [[]] }, '.set: element 0: not supported: associative list with lists as elements'],
    [{ named: [null] }, '.named: element 0: associative list with keys may not have a null element'],
    [{ named: ['x'] }, '.named: element 0: associative list with keys may not have non-map elements'],
    [
      { named: [{}] },
      `.named: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
    ],
    [
      { named: [{ name: 'a', value: true }] },
      '.named[name="a"].value: expected string, got &value.valueUnstructured{Value:true}',
    ],
    [
      { number: 'x', text: 1 },
      'errors:\n  .number: expected numeric (int or float), got string\n  .text: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ])('%j is judged in the words of Kubernetes', ([value, fault]) => {
    expect(validateTyped(value, schema)).toBe(fault);
  });
});
