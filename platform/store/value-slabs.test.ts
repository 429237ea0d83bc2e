import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { StoredObject } from './object-store.ts';
import { ValueSlabs, type KeptObject } from './value-slabs.ts';

const seed = Number(process.env['BAILIWICK_SEED'] ?? 1);

function makeObject(revision: number, length: number): StoredObject {
  return { key: `/objects/${revision % 97}`, revision, value: Buffer.alloc(length, revision % 251) };
}

function holds(kept: KeptObject, { key, revision, value }: StoredObject): boolean {
  const read = kept.read();
  return read.key === key && read.revision === revision && read.value.equals(value);
}

/** Bytes of all blocks that the objects are in. */
function measureBlocks(objects: Iterable<KeptObject>): number {
  let bytes = 0;
  for (const slab of new Set([...objects].map((object) => object.slab))) bytes += slab.bytes.byteLength;
  return bytes;
}

describe('memory for values', () => {
  it.for([
    { name: 'an empty value', length: 0 },
    { name: 'a small value', length: 1 },
    { name: 'the largest that shares a block', length: 4 << 10 },
    { name: 'one that does not', length: (4 << 10) + 1 },
    { name: 'a large one', length: 3 << 20 },
  ])('gives back $name', ({ length }) => {
    const slabs = new ValueSlabs();
    const object = makeObject(7, length);
    const kept = slabs.keep(object);
    expect(holds(kept, object)).toBe(true);
    expect(slabs.release(kept).equals(object.value)).toBe(true);
    expect(holds(kept, object)).toBe(true);
  });

  it('does not hold on to the memory that a value came in', () => {
    const slabs = new ValueSlabs();
    const block = Buffer.alloc(1 << 20, 'x');
    for (const length of [100, 100_000]) {
      const value = slabs.keep({ key: '/a', revision: 1, value: block.subarray(0, length) }).viewValue();
      expect(value.buffer).not.toBe(block.buffer);
    }
  });

  it('gives every reading the same buffer, but for those that keep none', () => {
    const kept = new ValueSlabs().keep(makeObject(7, 100));
    expect(kept.readOnce().value).not.toBe(kept.readOnce().value);
    expect(kept.readOnce()).toEqual(makeObject(7, 100));
    const { value } = kept.read();
    expect([kept.read().value, kept.readOnce().value].map((other) => other === value)).toEqual([true, true]);
  });

  it('keeps what was read as it was, whatever is written and given up afterwards', () => {
    const slabs = new ValueSlabs();
    const objects = Array.from({ length: 2000 }, (_, index) => slabs.keep(makeObject(index, 1000)));
    const views = objects.map((object) => object.read().value);
    for (const [index, object] of objects.entries()) {
      slabs.release(object);
      slabs.keep(makeObject(index + 1, 1000));
    }
    for (const [index, view] of views.entries()) expect(view.equals(makeObject(index, 1000).value)).toBe(true);
  });

  it('keeps every object, in little more memory than they take, through any order of changes', () => {
    const change = fc.record({
      length: fc.oneof(fc.nat(2000), fc.nat(40_000)),
      place: fc.nat(),
      gives: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 200, maxLength: 600, size: 'max' }), (changes) => {
        const slabs = new ValueSlabs();
        const kept: KeptObject[] = [];
        for (const [revision, { length, place, gives }] of changes.entries()) {
          if (gives && kept.length > 0) {
            const [object] = kept.splice(place % kept.length, 1);
            if (object === undefined) continue;
            const { value } = makeObject(object.revision, object.length);
            expect(slabs.release(object).equals(value)).toBe(true);
          } else {
            kept.push(slabs.keep(makeObject(revision, length)));
          }
        }
        let live = 0;
        for (const object of kept) {
          expect(holds(object, makeObject(object.revision, object.length))).toBe(true);
          live += object.length;
        }
        // A third unused, the end of each block, and the block that is being filled.
        expect(measureBlocks(kept)).toBeLessThan(live * 1.45 + 2 * (256 << 10));
      }),
      { seed, numRuns: 30 },
    );
  });

  it('gives up blocks that a few lasting values are strewn over', () => {
    const slabs = new ValueSlabs();
    const lasting: KeptObject[] = [];
    for (let index = 0; index < 20_000; index += 1) {
      const object = slabs.keep(makeObject(index, 1000));
      if (index % 100 === 0) lasting.push(object);
      else slabs.release(object);
    }
    expect(measureBlocks(lasting)).toBeLessThan(1 << 20);
  });
});
