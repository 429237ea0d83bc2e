import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { KubeObject } from '../../../core/meta/kube-object.ts';
import {
  compileLabelSelector,
  matchesLabelSelector,
  type LabelSelector,
} from '../../../core/selectors/label-selector.ts';
import { BudgetMembers } from './budget-members.ts';

const seed = Number(
  process.env['BAILIWICK_SEED'] ?? (process.env['BAILIWICK_SOAK'] === '1' ? Date.now() % 2 ** 31 : 11),
);
const numRuns = process.env['BAILIWICK_SOAK'] === '1' ? 5_000 : 500;

const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'zone'), fc.constantFrom('a', 'b', 'c'), { maxKeys: 3 });
const expression = fc.record({
  key: fc.constantFrom('app', 'tier', 'zone'),
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Like'),
  values: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
});
const selector: fc.Arbitrary<LabelSelector | undefined> = fc.option(
  fc.record({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) }, { requiredKeys: [] }),
  { nil: undefined, freq: 8 },
);
const namespace = fc.constantFrom('x', 'y');
const name = fc.constantFrom('1', '2', '3', '4');
const step = fc.oneof(
  fc.record({ do: fc.constant('putPod' as const), namespace, name, labels }),
  fc.record({ do: fc.constant('removePod' as const), namespace, name }),
  fc.record({ do: fc.constant('setBudget' as const), namespace, name, selector }),
  fc.record({ do: fc.constant('removeBudget' as const), namespace, name }),
);

function makePod(namespaceName: string, podName: string, podLabels: Record<string, string>): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: namespaceName, name: podName, labels: podLabels } };
}

describe('BudgetMembers', () => {
  it(`knows the same pods of budgets as comparing all with all, and tells of every budget concerned (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 1, 2, 16), async (steps, maxGroups) => {
        const members = new BudgetMembers({ maxGroups });
        const pods = new Map<string, KubeObject>();
        const budgets = new Map<string, LabelSelector | undefined>();
        const listSelecting = (space: string, pod: KubeObject | undefined): string[] =>
          [...budgets.keys()].filter(
            (key) => key.startsWith(`${space}/`) && matchesLabelSelector(budgets.get(key), pod?.metadata.labels ?? {}),
          );
        for (const each of steps) {
          const key = `${each.namespace}/${each.name}`;
          if (each.do === 'setBudget') {
            budgets.set(key, each.selector);
            members.setBudget(each.namespace, key, each.selector);
            await members.complete(each.namespace, key);
          } else if (each.do === 'removeBudget') {
            budgets.delete(key);
            members.removeBudget(each.namespace, key);
          } else {
            const old = pods.get(key);
            const before = old === undefined ? [] : listSelecting(each.namespace, old);
            if (each.do === 'putPod') {
              const pod = makePod(each.namespace, each.name, each.labels);
              pods.set(key, pod);
              const told = await members.putPod(key, pod);
              expect(told.toSorted()).toEqual(
                [...new Set([...before, ...listSelecting(each.namespace, pod)])].toSorted(),
              );
            } else {
              pods.delete(key);
              expect((await members.removePod(each.namespace, key)).toSorted()).toEqual(before.toSorted());
            }
          }
        }
        for (const [key, wanted] of budgets) {
          const [space = ''] = key.split('/');
          const expected = [...pods].filter(
            ([pod, { metadata }]) => pod.startsWith(`${space}/`) && matchesLabelSelector(wanted, metadata.labels),
          );
          expect((await members.listPods(space, key)).toSorted()).toEqual(expected.map(([pod]) => pod).toSorted());
        }
      }),
      { seed, numRuns },
    );
  });

  it('compares a pod only with budgets that want one of its labels', async () => {
    let comparisons = 0;
    const members = new BudgetMembers({
      compile: (selector) => {
        const matches = compileLabelSelector(selector);
        return (labels) => {
          comparisons += 1;
          return matches(labels);
        };
      },
    });
    for (let i = 0; i < 2_000; i += 1) {
      members.setBudget('n', `n/v${i}`, { matchLabels: { app: `app-${i}` } });
      members.setBudget('n', `n/l${i}`, { matchExpressions: [{ key: `label-${i}`, operator: 'Exists' }] });
    }
    for (let i = 0; i < 200; i += 1) {
      const labels = { app: `app-${i}`, [`label-${i}`]: '', tier: 'web' };
      expect(await members.putPod(`n/p${i}`, makePod('n', `p${i}`, labels))).toEqual([`n/v${i}`, `n/l${i}`]);
    }
    expect(comparisons).toBe(400);
  });

  it('sees what changes while a new budget is compared with many pods, and leaves others their turns', async () => {
    const members = new BudgetMembers({
      compile: (selector) => {
        const matches = compileLabelSelector(selector);
        return (labels) => {
          for (const endMillis = performance.now() + 0.5; performance.now() < endMillis;);
          return matches(labels);
        };
      },
    });
    const count = 200;
    for (let i = 0; i < count; i += 1) await members.putPod(`n/p${i}`, makePod('n', `p${i}`, { app: 'web' }));
    members.setBudget('n', 'n/b', { matchLabels: { app: 'web' } });
    const state = { isDone: false };
    const completing = members.complete('n', 'n/b').finally(() => (state.isDone = true));
    await members.removePod('n', `n/p${count - 1}`);
    await members.putPod(`n/p${count - 2}`, makePod('n', `p${count - 2}`, { index: 'other' }));
    await members.putPod('n/late', makePod('n', 'late', { app: 'web' }));
    let turns = 0;
    while (!state.isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    await completing;
    expect((await members.listPods('n', 'n/b')).toSorted()).toEqual(
      [...Array.from({ length: count - 2 }, (_, i) => `n/p${i}`), 'n/late'].toSorted(),
    );
    // A hundred milliseconds of work in slices of eight.
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  it('finds a budget that comes while a pod is compared with many', async () => {
    const members = new BudgetMembers({
      compile: (selector) => {
        const matches = compileLabelSelector(selector);
        return (labels) => {
          for (const endMillis = performance.now() + 1; performance.now() < endMillis;);
          return matches(labels);
        };
      },
    });
    for (let i = 0; i < 50; i += 1) {
      members.setBudget('n', `n/${i}`, { matchExpressions: [{ key: `x${i}`, operator: 'DoesNotExist' }] });
    }
    const putting = members.putPod('n/p', makePod('n', 'p', { x0: '' }));
    members.removeBudget('n', 'n/7');
    members.setBudget('n', 'n/new', {});
    await members.complete('n', 'n/new');
    const told = await putting;
    expect(told).toHaveLength(49);
    expect(told).toContain('n/new');
    for (const key of told) expect(await members.listPods('n', key)).toEqual(['n/p']);
    expect(await members.listPods('n', 'n/0')).toEqual([]);
  });

  it('keeps nothing for each pair of a budget and a pod, nor for each value of a long selector', async () => {
    const members = new BudgetMembers();
    const pods = Array.from({ length: 1_000 }, (_, i) => makePod('n', `p${i}`, { app: 'web' }));
    const values = Array.from({ length: 20_000 }, (_, i) => `v${i}`);
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 1_000; i += 1) {
      members.setBudget('n', `n/alike-${i}`, {});
      members.setBudget('n', `n/${i}`, { matchExpressions: [{ key: `absent-${i}`, operator: 'DoesNotExist' }] });
    }
    members.setBudget('n', 'n/long', { matchExpressions: [{ key: 'app', operator: 'In', values }] });
    let concerned = 0;
    for (const pod of pods) concerned += (await members.putPod(`n/${pod.metadata.name}`, pod)).length;
    expect(concerned).toBe(2_000_000);
    expect(await members.listPods('n', 'n/7')).toHaveLength(1_000);
    expect(await members.listPods('n', 'n/alike-7')).toHaveLength(1_000);
    // Two million entries would be a hundred megabytes and more.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 << 20);
  });
});
