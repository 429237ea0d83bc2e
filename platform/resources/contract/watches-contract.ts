import { describe, expect, it } from 'vitest';
import type { ContractBench } from './contract-bench.ts';
import { configMaps, limitRanges, makeMap, makeRange, refusalOf } from './contract-objects.ts';

/** What a watch tells, and how it ends. */
export function describeWatches(bench: ContractBench): void {
  describe('watches', () => {
    it('begin with the state when no version is named', async () => {
      await bench.create(makeMap('a'));
      const reader = bench.watch({});
      const seen = [];
      // A namespace of a host's gets a ConfigMap of its own.
      for (let line = await reader.nextLine(); line !== undefined; line = await reader.nextLine()) {
        seen.push(line);
        if (line === 'ADDED a') break;
      }
      expect(seen).toContain('ADDED a');
      await bench.create(makeMap('b'));
      expect(await reader.nextLine()).toBe('ADDED b');
    });

    it('resume where they broke off', async () => {
      const version = await bench.listVersion();
      const first = bench.watch({ resourceVersion: version });
      await bench.create(makeMap('a'));
      const seen = await first.next();
      await first.close();
      await bench.create(makeMap('b'));
      await bench.client.delete(bench.at(configMaps, 'a'));
      const second = bench.watch({ resourceVersion: seen?.object.metadata.resourceVersion ?? '' });
      expect([await second.nextLine(), await second.nextLine()]).toEqual(['ADDED b', 'DELETED a']);
    });

    it('say when the initial state is whole', async () => {
      await bench.create(makeRange('a'), limitRanges);
      const reader = bench.watch(
        { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true },
        limitRanges,
      );
      expect(await reader.nextAny()).toMatchObject({
        type: 'ADDED',
        object: { apiVersion: 'v1', metadata: { name: 'a' } },
      });
      expect(await reader.nextAny()).toMatchObject({
        type: 'BOOKMARK',
        object: {
          apiVersion: 'v1',
          kind: 'LimitRange',
          metadata: {
            annotations: { 'k8s.io/initial-events-end': 'true' },
            resourceVersion: expect.stringMatching(/^\d+$/),
          },
        },
      });
    });

    it('follow a selection as objects enter and leave it', async () => {
      const reader = bench.watch({ resourceVersion: await bench.listVersion(), labelSelector: 'in=yes' });
      await bench.create(makeMap('a'));
      const label = (value: string | null) =>
        bench.client.patch(bench.at(configMaps, 'a'), 'application/merge-patch+json', {
          metadata: { labels: { in: value } },
        });
      await label('yes');
      await label('no');
      await label('yes');
      await bench.client.delete(bench.at(configMaps, 'a'));
      const lines = [];
      for (let i = 0; i < 4; i += 1) lines.push(await reader.nextLine());
      expect(lines).toEqual(['ADDED a', 'DELETED a', 'ADDED a', 'DELETED a']);
    });

    it('follow one object by its name', async () => {
      const reader = bench.watch({ resourceVersion: await bench.listVersion(), fieldSelector: 'metadata.name=b' });
      for (const n of ['a', 'b', 'c']) await bench.create(makeMap(n));
      await bench.client.delete(bench.at(configMaps, 'b'));
      expect([await reader.nextLine(), await reader.nextLine()]).toEqual(['ADDED b', 'DELETED b']);
    });

    it('carry large objects, and many in a row, whole and in order', async () => {
      const reader = bench.watch({ resourceVersion: await bench.listVersion() });
      const text = 'ä€𝄞"\\\n'.repeat(40_000);
      await bench.create(makeMap('large', { text }));
      for (let i = 0; i < 50; i += 1) await bench.create(makeMap(`m-${String(i).padStart(2, '0')}`));
      expect((await reader.next())?.object['data']).toEqual({ text });
      const lines = [];
      for (let i = 0; i < 50; i += 1) lines.push(await reader.nextLine());
      expect(lines).toEqual(Array.from({ length: 50 }, (_, i) => `ADDED m-${String(i).padStart(2, '0')}`));
    });

    it('end after their time', async () => {
      const reader = bench.watch({ resourceVersion: await bench.listVersion(), timeoutSeconds: 1 });
      expect(await reader.next()).toBeUndefined();
    });

    it('end when they are aborted, before and after they began', async () => {
      const controller = new AbortController();
      const iterate = async (signal: AbortSignal): Promise<number> => {
        let count = 0;
        for await (const event of bench.client.watch(bench.all(configMaps), { resourceVersion: '0', signal })) {
          count += event.type === 'BOOKMARK' ? 0 : 1;
          controller.abort();
        }
        return count;
      };
      await bench.create(makeMap('a'));
      expect(await iterate(controller.signal)).toBe(1);
      expect(await iterate(controller.signal)).toBe(0);
    });

    it('refuse options that contradict each other', async () => {
      const begin = async () => bench.watch({ sendInitialEvents: true }).next();
      expect(await refusalOf(begin())).toMatchObject({ code: 422, details: { kind: 'ListOptions' } });
    });
  });
}
