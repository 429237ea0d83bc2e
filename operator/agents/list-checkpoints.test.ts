import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { makeServiceUnavailableError } from '../../core/errors/make-status-error.ts';
import { compareKeys, keyOf, type CheckpointKey } from '../../kinds/node/checkpoint/checkpoint-key.ts';
import type { Checkpoint } from '../../kinds/node/checkpoint/schema.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { HungAgents } from './hung-agents.ts';
import { listCheckpoints, type ListedCheckpoints } from './list-checkpoints.ts';

function make(nodeName: string, namespace: string, name: string): Checkpoint {
  return {
    apiVersion: 'node.example.org/v1',
    kind: 'Checkpoint',
    metadata: { name, namespace },
    spec: { podName: 'p', containerName: 'c', nodeName },
    status: {},
  };
}

/** What nodes hold, by name; `n: 'a/b c/d'` is two. */
type Nodes = Record<string, string>;

function makeNodes(nodes: Nodes): Map<string, Checkpoint[]> {
  const split = (keys: string) => (keys === '' ? [] : keys.split(' ')).map((key) => key.split('/') as [string, string]);
  return new Map(
    Object.entries(nodes).map(([nodeName, keys]) => [nodeName, split(keys).map((key) => make(nodeName, ...key))]),
  );
}

interface Wanted {
  readonly limit?: number;
  readonly after?: CheckpointKey | undefined;
  readonly matches?: (checkpoint: Checkpoint) => boolean;
  /** The most that a node tells at once. */
  readonly partSize?: number;
  /** Told of each part. */
  readonly onPart?: (nodeName: string, count: number) => void;
}

/** Lists what these nodes hold, sorted. */
function list(nodes: ReadonlyMap<string, Checkpoint[]>, wanted: Wanted = {}): Promise<ListedCheckpoints> {
  const { limit = 0, after, matches = () => true, partSize = Number.POSITIVE_INFINITY, onPart } = wanted;
  return listCheckpoints({
    ...{ limit, after, matches, signal: new AbortController().signal, onSilent: () => undefined },
    hung: new HungAgents(new ManualClock()),
    agents: [...nodes.keys()].map((nodeName) => ({ nodeName, address: '10.0.0.1', port: 1 })),
    readPart: async ({ nodeName }, part) => {
      const held = nodes.get(nodeName) ?? [];
      const { after: start } = part;
      const index = start === undefined ? 0 : held.findIndex((item) => compareKeys(keyOf(item), start) > 0);
      const left = index < 0 ? [] : held.slice(index);
      const items = left.slice(0, Math.min(part.limit, partSize));
      onPart?.(nodeName, items.length);
      return { items, isComplete: items.length === left.length };
    },
  });
}

/** So many checkpoints on each of so many nodes, evenly mixed. */
function makeMany(nodes: number, each: number): Map<string, Checkpoint[]> {
  return new Map(
    Array.from({ length: nodes }, (_, node) => [
      `n${node}`,
      Array.from({ length: each }, (_item, index) =>
        make(`n${node}`, 'n', `p${String(index).padStart(6, '0')}-${String(node).padStart(4, '0')}`),
      ),
    ]),
  );
}

/** The most CPU time, in milliseconds, that one turn of the event loop takes meanwhile; other programs add nothing to it. */
async function measureLongestTurn(work: () => Promise<unknown>): Promise<number> {
  const readMillis = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [longest, last, isOver] = [0, readMillis(), false];
  const look = (): void => {
    const now = readMillis();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  look();
  return longest;
}

const show = (items: readonly Checkpoint[]): string[] =>
  items.map(({ metadata, spec }) => `${metadata.namespace}/${metadata.name}@${spec.nodeName}`);

describe('listCheckpoints', () => {
  it.for<[name: string, nodes: Nodes, limit: number, items: string[], next: CheckpointKey | undefined]>([
    ['lists nothing of nobody', {}, 0, [], undefined],
    [
      'merges by namespace, then name',
      { n: 'a/b b/a', m: 'a/a a/c' },
      0,
      ['a/a@m', 'a/b@n', 'a/c@m', 'b/a@n'],
      undefined,
    ],
    ['ends a page at its limit', { n: 'a/b b/a', m: 'a/a' }, 2, ['a/a@m', 'a/b@n'], { namespace: 'a', name: 'b' }],
    ['has no next page where all is told', { n: 'a/b', m: 'a/a' }, 2, ['a/a@m', 'a/b@n'], undefined],
    ['parts no two of one name', { n: 'a/a', m: 'a/a b/b' }, 1, ['a/a@n', 'a/a@m'], { namespace: 'a', name: 'a' }],
  ])('%s', async ([, nodes, limit, items, next]) => {
    for (const partSize of [1, 2, 250]) {
      const page = await list(makeNodes(nodes), { limit, partSize });
      expect(show(page.items).toSorted()).toEqual(items.toSorted());
      expect(page.items.map(keyOf)).toEqual(page.items.map(keyOf).toSorted(compareKeys));
      expect(page.next).toEqual(next);
    }
  });

  it('counts only what matches', async () => {
    const nodes = makeNodes({ n: 'a/a a/b', m: 'a/c' });
    const page = await list(nodes, { limit: 1, matches: ({ spec }) => spec.nodeName === 'm' });
    expect(show(page.items)).toEqual(['a/c@m']);
    expect(page.next).toBeUndefined();
  });

  it('gives, page by page and part by part, what the nodes hold, in order and once', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const held = fc.array(fc.uniqueArray(fc.tuple(name, name), { selector: (key) => key.join('/') }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        held,
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        async (keys, limit, partSize) => {
          const sort = (items: Checkpoint[]) => items.toSorted((l, r) => compareKeys(keyOf(l), keyOf(r)));
          const nodes = new Map(
            keys.map((own, node) => [`n${node}`, sort(own.map((key) => make(`n${node}`, ...key)))]),
          );
          const seen: Checkpoint[] = [];
          let after: CheckpointKey | undefined;
          for (let round = 0; round < 60; round++) {
            const page: ListedCheckpoints = await list(nodes, { limit, partSize, after });
            seen.push(...page.items);
            after = page.next;
            if (after === undefined) break;
          }
          const expected = sort([...nodes.values()].flat());
          expect(show(seen).toSorted()).toEqual(show(expected).toSorted());
          expect(seen.map(keyOf)).toEqual(expected.map(keyOf));
        },
      ),
      { numRuns: 200, seed: 20_260_101 },
    );
  });

  it('ends a page early when few of many match, and goes on with the next', async () => {
    const nodes = makeMany(100, 300);
    const wanted = { limit: 500, matches: ({ metadata }: Checkpoint) => metadata.name?.endsWith('299-0007') === true };
    const first = await list(nodes, wanted);
    expect(first.items).toEqual([]);
    expect(first.next).toBeDefined();
    const second = await list(nodes, { ...wanted, after: first.next });
    expect(show(second.items)).toEqual(['n/p000299-0007@n7']);
    expect(second.next).toBeUndefined();
  });

  it.for<[nodes: number, each: number, limit: number]>([
    [500, 500, 0],
    [5, 4500, 0],
    [5000, 10, 0],
    [5000, 10, 500],
  ])('reads no more of %s nodes with %s each than it may hold, limit %s', async ([count, each, limit]) => {
    let read = 0;
    const nodes = makeMany(count, each);
    const page = list(nodes, { limit, onPart: (_, items) => (read += items) });
    if (limit === 0) {
      const error: unknown = await page.catch((cause: unknown) => cause);
      expect(error).toMatchObject({
        status: {
          code: 413,
          message: expect.stringContaining('more than 20000 checkpoints; list them in pages, with a limit'),
        },
      });
    } else expect((await page).items.length).toBe(limit);
    // What is asked for when the bound is passed is on its way.
    expect(read).toBeLessThanOrEqual(20_000 + 32 * 250);
  });

  it('lists what others hold where one node tells of more than it may, unless in pages', async () => {
    const nodes = makeMany(4, 10);
    nodes.set('n3', makeMany(4, 30_000).get('n3') ?? []);
    const page = await list(nodes);
    expect([page.items.length, page.silent]).toEqual([30, ['n3']]);
    const paged = await list(nodes, { limit: 100 });
    expect([paged.items.length, paged.silent]).toEqual([100, []]);
  });

  it('lists as many as may be listed at once without holding the event loop', async () => {
    const nodes = makeMany(100, 200);
    await list(nodes);
    const all = await measureLongestTurn(async () => expect((await list(nodes)).items.length).toBe(20_000));
    const none = await measureLongestTurn(() => list(nodes, { limit: 500, matches: () => false }));
    expect(Math.max(all, none)).toBeLessThan(50);
  });

  it('waits for agents that hang no longer than all of them may take', async () => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
    let asked = 0;
    const page = await listCheckpoints({
      ...{ limit: 0, after: undefined, matches: () => true, signal: new AbortController().signal },
      hung: new HungAgents(new ManualClock()),
      onSilent: () => undefined,
      agents: Array.from({ length: 100 }, (_, index) => ({ nodeName: `n${index}`, address: '10.0.0.1', port: 1 })),
      readPart: async ({ nodeName }, _part, signal) => {
        if (nodeName === 'n0') return { items: [make('n0', 'a', 'b')], isComplete: true };
        if (++asked === 32) setImmediate(() => late.abort());
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        throw makeServiceUnavailableError('late');
      },
    });
    expect(timeout.mock.calls).toEqual([[20_000]]);
    timeout.mockRestore();
    expect([show(page.items), page.silent.length, asked]).toEqual([['a/b@n0'], 99, 32]);
  });

  it('goes on without nodes that fall silent, and without what they told before', async () => {
    const held = makeMany(3, 600);
    let asked = 0;
    const page = await listCheckpoints({
      ...{ limit: 0, after: undefined, matches: () => true, signal: new AbortController().signal },
      hung: new HungAgents(new ManualClock()),
      onSilent: () => undefined,
      agents: [...held.keys(), 'gone'].map((nodeName) =>
        nodeName === 'gone' ? { nodeName, obstacle: 'it is gone' } : { nodeName, address: '10.0.0.1', port: 1 },
      ),
      readPart: async ({ nodeName }, { after, limit }) => {
        if (nodeName === 'n1' && ++asked > 1) throw makeServiceUnavailableError('down');
        const items = held.get(nodeName) ?? [];
        const left = items.filter((item) => after === undefined || compareKeys(keyOf(item), after) > 0);
        return { items: left.slice(0, limit), isComplete: left.length <= limit };
      },
    });
    expect(page.silent).toEqual(['gone', 'n1']);
    expect(page.items.length).toBe(1200);
    expect(page.items.some(({ spec }) => spec.nodeName === 'n1')).toBe(false);
  });
});
