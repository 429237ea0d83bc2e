import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual } from '../meta/deep.ts';
import type { JsonValue } from '../meta/json.ts';
import { applyJsonPatch } from './json-patch.ts';
import { makeJsonPatch } from './make-json-patch.ts';

describe('makeJsonPatch', () => {
  it.for<[JsonValue, JsonValue, object[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [
      { a: 1 },
      { a: 2, b: 3 },
      [
        { op: 'replace', path: '/a', value: 2 },
        { op: 'add', path: '/b', value: 3 },
      ],
    ],
    [{ 'a/b~': 1, c: {} }, { c: {} }, [{ op: 'remove', path: '/a~1b~0' }]],
    [
      { a: [1, 2, 3] },
      { a: [1] },
      [
        { op: 'remove', path: '/a/2' },
        { op: 'remove', path: '/a/1' },
      ],
    ],
    [
      { a: [{ b: 1 }] },
      { a: [{ b: 2 }, null] },
      [
        { op: 'replace', path: '/a/0/b', value: 2 },
        { op: 'add', path: '/a/-', value: null },
      ],
    ],
    [{ a: { b: 1 } }, { a: [] }, [{ op: 'replace', path: '/a', value: [] }]],
  ])('%j to %j', ([before, after, patch]) => {
    expect(makeJsonPatch(before, after)).toEqual(patch);
  });

  it('makes a patch that leads from any object to any other', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 });
    fc.assert(
      fc.property(objects, objects, (before, after) => {
        const patch = makeJsonPatch(before, after);
        const result = applyJsonPatch(before, patch);
        return 'value' in result && deepEqual(result.value, after);
      }),
    );
  });
});
