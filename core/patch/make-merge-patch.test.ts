import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../meta/json.ts';
import { makeMergePatch } from './make-merge-patch.ts';
import { applyMergePatch } from './merge-patch.ts';

describe('makeMergePatch', () => {
  it.for<[string, JsonObject, JsonObject, JsonObject]>([
    ['nothing', { a: { b: [1] } }, { a: { b: [1] } }, {}],
    ['a new member', {}, { a: 1 }, { a: 1 }],
    ['a member that is gone', { a: 1, b: 2 }, { b: 2 }, { a: null }],
    ['a deep change', { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, { a: { b: 3 } }],
    ['a list as a whole', { a: [1, 2] }, { a: [1] }, { a: [1] }],
    ['an object in place of a text', { a: 'x' }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('says %s', ([, before, after, patch]) => {
    expect(makeMergePatch(before, after)).toEqual(patch);
  });

  it('makes the one of the other', () => {
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean());
    const { tree } = fc.letrec<{ tree: JsonObject }>((tie) => ({
      tree: fc.dictionary(
        fc.constantFrom('a', 'b', 'c', 'constructor'),
        fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf), tie('tree')),
        { noNullPrototype: true },
      ) as fc.Arbitrary<JsonObject>,
    }));
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        expect(applyMergePatch(before, makeMergePatch(before, after))).toEqual(after);
      }),
    );
  });
});
