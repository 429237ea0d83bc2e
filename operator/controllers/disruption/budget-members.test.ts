import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { matchesLabelSelector, type LabelSelector } from '../../../core/selectors/label-selector.ts';
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
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const members = new BudgetMembers();
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
              const told = members.putPod(key, pod);
              expect(told.toSorted()).toEqual(
                [...new Set([...before, ...listSelecting(each.namespace, pod)])].toSorted(),
              );
            } else {
              pods.delete(key);
              expect(members.removePod(each.namespace, key).toSorted()).toEqual(before.toSorted());
            }
          }
        }
        for (const [key, wanted] of budgets) {
          const [space = ''] = key.split('/');
          const expected = [...pods].filter(
            ([pod, { metadata }]) => pod.startsWith(`${space}/`) && matchesLabelSelector(wanted, metadata.labels),
          );
          expect(members.listPods(space, key).toSorted()).toEqual(expected.map(([pod]) => pod).toSorted());
        }
      }),
      { seed, numRuns },
    );
  });

  it('compares a pod only with budgets that want one of its labels', () => {
    const members = new BudgetMembers();
    for (let i = 0; i < 20_000; i += 1) members.setBudget('n', `n/${i}`, { matchLabels: { app: `app-${i}` } });
    const startMillis = performance.now();
    for (let i = 0; i < 2_000; i += 1) {
      expect(members.putPod(`n/p${i}`, makePod('n', `p${i}`, { app: `app-${i}`, tier: 'web' }))).toEqual([`n/${i}`]);
    }
    // All with all would be forty million comparisons, which take seconds.
    expect(performance.now() - startMillis).toBeLessThan(1_000);
  });

  it('compares a new budget with many pods in slices, and sees what changes meanwhile', async () => {
    const members = new BudgetMembers();
    const count = 20_000;
    for (let i = 0; i < count; i += 1)
      members.putPod(`n/p${i}`, makePod('n', `p${i}`, { app: 'web', index: String(i) }));
    const values = Array.from({ length: 20_000 }, (_, i) => String(i));
    const expressions = Array.from({ length: 20 }, () => ({ key: 'index', operator: 'In', values }));
    members.setBudget('n', 'n/b', { matchExpressions: expressions });
    let longestMillis = 0;
    let lastMillis = performance.now();
    const state = { isDone: false };
    const completing = members.complete('n', 'n/b').then(() => (state.isDone = true));
    members.removePod('n', `n/p${count - 1}`);
    members.putPod(`n/p${count - 2}`, makePod('n', `p${count - 2}`, { index: 'other' }));
    while (!state.isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      longestMillis = Math.max(longestMillis, performance.now() - lastMillis);
      lastMillis = performance.now();
    }
    await completing;
    expect(members.listPods('n', 'n/b')).toHaveLength(count - 2);
    expect(longestMillis).toBeLessThan(200);
  });
});
