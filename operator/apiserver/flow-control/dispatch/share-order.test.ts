import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ShareOrder } from './share-order.ts';
import { Share } from './ticket.ts';

const steps = fc.array(
  fc.record({
    index: fc.nat(2000),
    // Few finishes: many are equal.
    finish: fc.oneof(fc.nat(3), fc.nat(1000)),
    after: fc.nat(2000),
  }),
  { minLength: 1, maxLength: 3000, size: 'max' },
);

it('finds the share that is first, going round among equals, as a look at all of them does', () => {
  fc.assert(
    fc.property(steps, (run) => {
      const order = new ShareOrder<string>();
      const present = new Map<number, Share<string>>();
      for (const { index, finish, after } of run) {
        const known = present.get(index);
        if (known === undefined) {
          const share = new Share<string>(index);
          present.set(index, share);
          order.add(share, finish);
        } else {
          present.delete(index);
          order.remove(known);
          expect(known.orderedFinish).toBeUndefined();
        }
        const least = Math.min(...[...present.values()].map(({ orderedFinish }) => orderedFinish ?? 0));
        const equals = [...present.values()].filter(({ orderedFinish }) => orderedFinish === least);
        const indexes = equals.map((share) => share.index).sort((left, right) => left - right);
        expect(order.findNext(after)?.index).toBe(indexes.find((candidate) => candidate > after) ?? indexes[0]);
      }
      order.shift(-5);
      const listed = [...order];
      expect(listed).toHaveLength(present.size);
      for (const [i, share] of listed.entries()) {
        const previous = listed[i - 1];
        if (previous === undefined) continue;
        const [left, right] = [previous.orderedFinish ?? 0, share.orderedFinish ?? 0];
        expect(left < right || (left === right && previous.index < share.index)).toBe(true);
      }
    }),
    { numRuns: 8 },
  );
});
