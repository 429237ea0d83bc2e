import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareKeys,
  keyOf,
  planCheckpointPage,
  type CheckpointKey,
  type CheckpointSource,
} from './plan-checkpoint-page.ts';
import type { Checkpoint } from './schema.ts';

function make(nodeName: string, namespace: string, name: string): Checkpoint {
  return {
    apiVersion: 'node.example.org/v1',
    kind: 'Checkpoint',
    metadata: { name, namespace },
    spec: { podName: 'p', containerName: 'c', nodeName },
    status: {},
  };
}

const all = (): boolean => true;
const show = (items: readonly Checkpoint[]): string[] =>
  items.map(({ metadata, spec }) => `${metadata.namespace}/${metadata.name}@${spec.nodeName}`);

function source(nodeName: string, keys: string, isComplete = true): CheckpointSource {
  const items =
    keys === '' ? [] : keys.split(' ').map((key) => make(nodeName, ...(key.split('/') as [string, string])));
  return { nodeName, items, isComplete };
}

describe('planCheckpointPage', () => {
  it.for<[name: string, sources: CheckpointSource[], limit: number, items: string[], rest: object]>([
    ['nothing from nobody', [], 0, [], {}],
    [
      'merges by namespace, then name',
      [source('n', 'a/b b/a'), source('m', 'a/a a/c')],
      0,
      ['a/a@m', 'a/b@n', 'a/c@m', 'b/a@n'],
      {},
    ],
    [
      'ends a page at its limit',
      [source('n', 'a/b b/a'), source('m', 'a/a')],
      2,
      ['a/a@m', 'a/b@n'],
      { next: { namespace: 'a', name: 'b' } },
    ],
    ['has no next page where all is told', [source('n', 'a/b'), source('m', 'a/a')], 2, ['a/a@m', 'a/b@n'], {}],
    [
      'parts no two of one name',
      [source('n', 'a/a'), source('m', 'a/a b/b')],
      1,
      ['a/a@n', 'a/a@m'],
      { next: { namespace: 'a', name: 'a' } },
    ],
    ['waits for all when all is wanted', [source('n', 'a/b', false), source('m', 'a/a')], 0, [], { wanted: ['n'] }],
    ['waits for one that has told nothing', [source('n', '', false), source('m', 'a/a')], 1, [], { wanted: ['n'] }],
    [
      'asks on whom the page waits for',
      [source('n', 'a/a', false), source('m', 'a/b a/c', false)],
      3,
      ['a/a@n'],
      { wanted: ['n'] },
    ],
    [
      'needs no more than the page takes',
      [source('n', 'a/c', false), source('m', 'a/a a/b')],
      2,
      ['a/a@m', 'a/b@m'],
      { next: { namespace: 'a', name: 'b' } },
    ],
  ])('%s', ([, sources, limit, items, rest]) => {
    const page = planCheckpointPage(sources, limit, all);
    expect(show(page.items)).toEqual(items);
    expect({ wanted: page.wanted, next: page.next }).toEqual({ wanted: [], next: undefined, ...rest });
  });

  it('counts only what matches', () => {
    const page = planCheckpointPage(
      [source('n', 'a/a a/b'), source('m', 'a/c')],
      1,
      ({ spec }) => spec.nodeName === 'm',
    );
    expect(show(page.items)).toEqual(['a/c@m']);
    expect(page.next).toBeUndefined();
  });

  it('gives, page by page and part by part, what the nodes hold, in order and once', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const held = fc.array(fc.uniqueArray(fc.tuple(name, name), { selector: (key) => key.join('/') }), { maxLength: 4 });
    fc.assert(
      fc.property(held, fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 4 }), (nodes, limit, partSize) => {
        const stores = nodes.map((keys, index) => ({
          nodeName: `n${index}`,
          items: keys
            .map(([namespace, own]) => make(`n${index}`, namespace, own))
            .toSorted((l, r) => compareKeys(keyOf(l), keyOf(r))),
        }));
        const read = (nodeName: string, after: CheckpointKey | undefined) => {
          const items = stores.find((store) => store.nodeName === nodeName)?.items ?? [];
          const left = items.filter((item) => after === undefined || compareKeys(keyOf(item), after) > 0);
          return { items: left.slice(0, partSize), isComplete: left.length <= partSize };
        };
        const seen: Checkpoint[] = [];
        let after: CheckpointKey | undefined;
        for (let round = 0; round < 60; round++) {
          const start = after;
          const sources = new Map(stores.map(({ nodeName }) => [nodeName, { nodeName, ...read(nodeName, start) }]));
          let page = planCheckpointPage([...sources.values()], limit, all);
          for (let part = 0; page.wanted.length > 0 && part < 200; part++) {
            for (const nodeName of page.wanted) {
              const known = sources.get(nodeName);
              if (known === undefined) throw new Error(`${nodeName} is unknown`);
              const last = known.items.at(-1);
              const more = read(nodeName, last === undefined ? start : keyOf(last));
              sources.set(nodeName, { nodeName, items: [...known.items, ...more.items], isComplete: more.isComplete });
            }
            page = planCheckpointPage([...sources.values()], limit, all);
          }
          expect(page.wanted).toEqual([]);
          seen.push(...page.items);
          if (page.next === undefined) break;
          after = page.next;
        }
        const expected = stores.flatMap(({ items }) => items).toSorted((l, r) => compareKeys(keyOf(l), keyOf(r)));
        expect(show(seen).toSorted()).toEqual(show(expected).toSorted());
        expect(seen.map(keyOf)).toEqual(expected.map(keyOf));
      }),
      { numRuns: 200, seed: 20_260_101 },
    );
  });
});
