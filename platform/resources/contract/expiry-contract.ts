import { describe, expect, it } from 'vitest';
import type { ContractBench } from './contract-bench.ts';
import { limitRanges, makeMap, makeRange, names, refusalOf } from './contract-objects.ts';

/** What becomes of positions that the source has given up. */
export function describeExpiry(bench: ContractBench): void {
  describe('positions that expired', () => {
    it('refuse a page that is turned too late', async ({ skip }) => {
      const { compact } = bench.subject;
      if (compact === undefined) {
        skip();
        return;
      }
      for (const n of ['a', 'b', 'c']) await bench.create(makeRange(n), limitRanges);
      const first = await bench.client.list(bench.all(limitRanges), { limit: 1 });
      const token = first.metadata.continue ?? '';
      await bench.create(makeMap('later'));
      await compact();
      const refusal = await refusalOf(bench.client.list(bench.all(limitRanges), { limit: 1, continue: token }));
      expect(refusal).toMatchObject({ code: 410, reason: 'Expired' });
      const rest = await bench.client.list(bench.all(limitRanges), { continue: refusal.metadata.continue ?? '' });
      expect(names(rest.items)).toEqual(['b', 'c']);
    });

    it('refuse a watch', async ({ skip }) => {
      const { compact } = bench.subject;
      if (compact === undefined) {
        skip();
        return;
      }
      const version = (await bench.create(makeMap('a'))).metadata.resourceVersion ?? '';
      await bench.create(makeMap('b'));
      await compact();
      const refusal = await refusalOf(bench.watch({ resourceVersion: version }).next());
      expect(refusal).toMatchObject({ code: 410, reason: 'Expired' });
    });
  });
}
