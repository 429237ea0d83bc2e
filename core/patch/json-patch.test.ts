import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual } from '../meta/deep.ts';
import type { JsonValue } from '../meta/json.ts';
import { applyJsonPatch } from './json-patch.ts';

const document = { a: { b: 1, list: ['x', 'y'] }, n: null, 's/t': 2, '~': 3 };

describe('applyJsonPatch', () => {
  it.for<[string, JsonValue, unknown]>([
    ['nothing', [], document],
    ['null as nothing', null, document],
    ['add', [{ op: 'add', path: '/a/c', value: { d: 1 } }], { ...document, a: { ...document.a, c: { d: 1 } } }],
    ['add without a value', [{ op: 'add', path: '/z' }], { ...document, z: null }],
    [
      'add at a place',
      [{ op: 'add', path: '/a/list/1', value: 'z' }],
      { ...document, a: { b: 1, list: ['x', 'z', 'y'] } },
    ],
    [
      'add at the end',
      [{ op: 'add', path: '/a/list/-', value: 'z' }],
      { ...document, a: { b: 1, list: ['x', 'y', 'z'] } },
    ],
    [
      'add at a place from the end',
      [{ op: 'add', path: '/a/list/-1', value: 'z' }],
      { ...document, a: { b: 1, list: ['x', 'y', 'z'] } },
    ],
    ['remove', [{ op: 'remove', path: '/a' }], { n: null, 's/t': 2, '~': 3 }],
    ['remove a place from the end', [{ op: 'remove', path: '/a/list/-1' }], { ...document, a: { b: 1, list: ['x'] } }],
    ['replace what is absent', [{ op: 'replace', path: '/z', value: 1 }], { ...document, z: 1 }],
    ['replace the root', [{ op: 'replace', path: '', value: { z: 1 } }], { z: 1 }],
    ['replace the root by a scalar, which does nothing', [{ op: 'replace', path: '', value: 1 }], document],
    ['move', [{ op: 'move', from: '/a/b', path: '/z' }], { ...document, a: { list: ['x', 'y'] }, z: 1 }],
    [
      'copy',
      [
        { op: 'copy', from: '/a/list', path: '/z' },
        { op: 'add', path: '/z/-', value: 1 },
      ],
      { ...document, z: ['x', 'y', 1] },
    ],
    ['copy what is absent', [{ op: 'copy', from: '/nope', path: '/z' }], { ...document, z: null }],
    [
      'escaped keys',
      [
        { op: 'test', path: '/s~1t', value: 2 },
        { op: 'remove', path: '/~0' },
      ],
      { a: document.a, n: null, 's/t': 2 },
    ],
    [
      'test of null',
      [
        { op: 'test', path: '/n', value: null },
        { op: 'test', path: '/nope', value: null },
      ],
      document,
    ],
    ['prototype names', [{ op: 'add', path: '/constructor', value: 1 }], { ...document, constructor: 1 }],
  ])('carries out %s', ([, patch, value]) => {
    expect(applyJsonPatch(document, patch)).toEqual({ value });
  });

  it.for<[JsonValue, string, string]>([
    [{}, 'malformed', 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [[1], 'malformed', 'json: cannot unmarshal number into Go value of type jsonpatch.Operation'],
    [[null], 'failed', 'Unexpected kind: unknown'],
    [[{ op: 'foo' }], 'failed', 'Unexpected kind: foo'],
    [[{ op: 'add' }], 'failed', 'add operation failed to decode path: missing value'],
    [
      [{ op: 'add', path: '/x/y', value: 1 }],
      'failed',
      'add operation does not apply: doc is missing path: "/x/y": missing value',
    ],
    [
      [{ op: 'add', path: 'x', value: 1 }],
      'failed',
      'add operation does not apply: doc is missing path: "x": missing value',
    ],
    [
      [{ op: 'remove', path: '/x' }],
      'failed',
      "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
    ],
    [
      [{ op: 'remove', path: '/__proto__' }],
      'failed',
      "error in remove for path: '/__proto__': Unable to remove nonexistent key: __proto__: missing value",
    ],
    [[{ op: 'remove', path: '' }], 'failed', 'remove operation does not apply: doc is missing path: "": missing value'],
    [
      [{ op: 'add', path: '/a/list/9', value: 1 }],
      'failed',
      "error in add for path: '/a/list/9': Unable to access invalid index: 9: invalid index referenced",
    ],
    [
      [{ op: 'replace', path: '/a/list/2', value: 1 }],
      'failed',
      'replace operation does not apply: doc is missing key: /a/list/2: missing value',
    ],
    [[{ op: 'test', path: '/a/b', value: 2 }], 'failed', 'testing value /a/b failed: test failed'],
    [[{ op: 'test', path: '/a/b' }], 'failed', 'testing value /a/b failed: test failed'],
    [
      [{ op: 'test', path: '/toString/x', value: 2 }],
      'failed',
      'test operation does not apply: is missing path: /toString/x: missing value',
    ],
    [
      [{ op: 'move', from: '/nope', path: '/z' }],
      'failed',
      "error in move for path: 'nope': Unable to remove nonexistent key: nope: missing value",
    ],
  ])('refuses %j', ([patch, kind, fault]) => {
    expect(applyJsonPatch(document, patch)).toEqual({ fault, kind });
  });

  it('bounds what copies add', () => {
    const patch: JsonValue = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/k${i}` }));
    expect(applyJsonPatch({ a: { b: 'x'.repeat(100) } }, patch)).toMatchObject({
      kind: 'failed',
      fault: expect.stringContaining('exceeding the limit 3145728') as string,
    });
  });

  it('tests, adds and removes what it finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (object, name, value) => {
        const plain = JSON.parse(JSON.stringify(object)) as JsonValue;
        const added = JSON.parse(JSON.stringify(value)) as JsonValue;
        const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const result = applyJsonPatch(plain, [
          { op: 'test', path: '', value: plain },
          { op: 'add', path, value: added },
          { op: 'test', path, value: added },
          { op: 'remove', path },
        ]);
        expect('value' in result).toBe(true);
        expect(deepEqual(plain, JSON.parse(JSON.stringify(object)))).toBe(true);
      }),
    );
  });

  it('never throws, and never changes its inputs', () => {
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
        path: fc.constantFrom('', '/', '/a', '/a/b', '/a/0', '/a/-', '/__proto__', '/constructor/x', 'a'),
        from: fc.constantFrom('', '/a', '/a/b', '/0'),
        value: fc.jsonValue(),
      },
      { requiredKeys: ['op'] },
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.oneof(operation, fc.jsonValue())), (value, patch) => {
        const [before, patchBefore] = [JSON.stringify(value), JSON.stringify(patch)];
        applyJsonPatch(value, patch);
        expect([JSON.stringify(value), JSON.stringify(patch)]).toEqual([before, patchBefore]);
      }),
    );
    fc.assert(fc.property(fc.jsonValue(), (patch) => typeof applyJsonPatch({}, patch as JsonValue) === 'object'));
  });
});
