import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeyIndex } from './key-index.ts';
import { endOfPrefix, toSortKey } from './key-order.ts';

const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '/'), maxLength: 6 });

it('behaves as a sorted array does, through growth and shrinking', () => {
  const isDelete = fc.nat(9).chain((share) => fc.constant((n: number) => n % 10 < share));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, fc.nat(99)), { maxLength: 3000, size: 'max' }),
      isDelete,
      key,
      (steps, gone, from) => {
        const index = new KeyIndex<number>();
        const model = new Map<string, number>();
        for (const [name, number] of steps) {
          if (gone(number)) {
            index.delete(name);
            model.delete(name);
          } else {
            index.set(name, number);
            model.set(name, number);
          }
        }
        const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        const to = endOfPrefix(from);
        const inRange = sorted.filter(([name]) => name >= from && (to === undefined || name < to)).map(([, v]) => v);
        expect(index.size).toBe(model.size);
        expect(index.slice('', undefined)).toEqual(sorted.map(([, v]) => v));
        expect(index.slice(from, to)).toEqual(inRange);
        expect(index.slice(from, to, 3)).toEqual(inRange.slice(0, 3));
        expect(index.count(from, to)).toBe(inRange.length);
        expect(index.get(from)).toBe(model.get(from));
        const before = sorted.findIndex(([name]) => name >= from);
        expect(index.countBefore(from)).toBe(before < 0 ? sorted.length : before);
        expect([0, index.countBefore(from), sorted.length].map((place) => index.at(place))).toEqual(
          [0, index.countBefore(from), sorted.length].map((place) => sorted[place]?.[1]),
        );
      },
    ),
    { numRuns: 50 },
  );
});

it('keeps ten thousand keys through deletion of all of them', () => {
  const index = new KeyIndex<number>();
  const names = Array.from({ length: 10_000 }, (_, i) => `/k/${(i * 7919) % 10_000}`);
  names.forEach((name, i) => index.set(name, i));
  expect([index.size, index.count('/k/', endOfPrefix('/k/'))]).toEqual([10_000, 10_000]);
  names.forEach((name) => index.delete(name));
  expect([index.size, index.slice('', undefined)]).toEqual([0, []]);
  index.set('/k/again', 1);
  expect(index.slice('', undefined)).toEqual([1]);
});

it('orders sort keys as the UTF-8 bytes of the keys', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '\0', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const order = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const [left, right] = [toSortKey(a), toSortKey(b)];
      expect(left < right ? -1 : left > right ? 1 : 0).toBe(order);
    }),
  );
  expect(() => toSortKey('\ud800')).toThrow(TypeError);
});
