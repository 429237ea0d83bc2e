import { describe, expect, it } from 'vitest';
import type { ContractBench } from './contract-bench.ts';
import { limitRanges, makeQuota, makeRange, names, quotas, refusalOf } from './contract-objects.ts';

/** Selections, pages, versions. */
export function describeLists(bench: ContractBench): void {
  describe('lists', () => {
    it('selects by labels and fields', async () => {
      for (const n of ['a', 'b', 'c']) {
        const object = makeQuota(n);
        object.metadata.labels = { n };
        await bench.create(object, quotas);
      }
      const select = async (options: object) => names((await bench.client.list(bench.all(quotas), options)).items);
      expect(await select({ labelSelector: 'n in (a,c)' })).toEqual(['a', 'c']);
      expect(await select({ fieldSelector: 'metadata.name=b' })).toEqual(['b']);
      expect(await select({ fieldSelector: 'metadata.name!=b', labelSelector: 'n!=a' })).toEqual(['c']);
      for (const options of [{ labelSelector: 'a in' }, { fieldSelector: 'spec.nothing=1' }]) {
        expect(await refusalOf(bench.client.list(bench.all(quotas), options))).toMatchObject({
          code: 400,
          reason: 'BadRequest',
        });
      }
    });

    it('shows a collection of every namespace', async () => {
      await bench.create(makeRange('everywhere'), limitRanges);
      const { items } = await bench.client.list(
        { resource: limitRanges },
        { fieldSelector: 'metadata.name=everywhere' },
      );
      expect(items.map((item) => item.metadata.namespace)).toContain(bench.namespace);
    });

    it('gives consistent pages', async () => {
      const made = ['a', 'b', 'c', 'd', 'e'];
      for (const n of made) await bench.create(makeRange(n), limitRanges);
      const seen: string[] = [];
      let token: string | undefined;
      let pages = 0;
      const versions = new Set<string>();
      do {
        const page = await bench.client.list(bench.all(limitRanges), {
          limit: 2,
          ...(token === undefined ? {} : { continue: token }),
        });
        seen.push(...page.items.map(({ metadata }) => metadata.name ?? ''));
        versions.add(page.metadata.resourceVersion ?? '');
        token = page.metadata.continue === '' ? undefined : page.metadata.continue;
        if (pages === 0) {
          expect(page.metadata.remainingItemCount).toBe(3);
          await bench.create(makeRange('b1'), limitRanges);
          await bench.client.delete(bench.at(limitRanges, 'e'));
        }
        pages += 1;
      } while (token !== undefined);
      expect(seen).toEqual(made);
      expect(pages).toBe(3);
      expect(versions.size).toBe(1);
    });

    it('reads at a version', async () => {
      const made = await bench.create(makeRange('a'), limitRanges);
      await bench.create(makeRange('b'), limitRanges);
      const { resourceVersion = '' } = made.metadata;
      const then = await bench.client.list(bench.all(limitRanges), { resourceVersion, resourceVersionMatch: 'Exact' });
      expect(names(then.items)).toEqual(['a']);
      expect(then.metadata.resourceVersion).toBe(resourceVersion);
      const since = await bench.client.list(bench.all(limitRanges), {
        resourceVersion,
        resourceVersionMatch: 'NotOlderThan',
      });
      expect(names(since.items)).toContain('a');
      expect(names((await bench.client.list(bench.all(limitRanges), { resourceVersion: '0' })).items)).toContain('a');
      const call = bench.client.list(bench.all(limitRanges), { resourceVersionMatch: 'Exact' });
      expect(await refusalOf(call)).toMatchObject({ code: 422, details: { kind: 'ListOptions' } });
      expect(await bench.client.get(bench.at(limitRanges, 'a'), { resourceVersion })).toEqual(made);
    });
  });
}
