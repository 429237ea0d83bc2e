import { describe, expect, it } from 'vitest';
import type { BudgetPod } from '../../policy/pod-disruption-budget/budget-pod.ts';
import type { PodDisruptionBudget } from '../../policy/pod-disruption-budget/schema.ts';
import { planEvictionReview } from './plan-eviction-review.ts';

function makePod(phase = 'Running', isReady = true): BudgetPod {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n', labels: { app: 'web' } } },
    status: { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
}

function makeBudget(
  name: string,
  [currentHealthy, desiredHealthy, expectedPods]: readonly [number, number, number],
  more: { readonly generation?: number; readonly app?: string } = {},
): PodDisruptionBudget {
  const disruptionsAllowed = Math.max(0, currentHealthy - desiredHealthy);
  return {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    metadata: { name, namespace: 'n', generation: more.generation ?? 1 },
    spec: { minAvailable: desiredHealthy, selector: { matchLabels: { app: more.app ?? 'web' } } },
    status: { observedGeneration: 1, disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods },
  };
}

const counts = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 3, expectedPods: 4 };
const message = 'The disruption budget b needs 3 healthy pods and has 2 currently';

describe('planEvictionReview', () => {
  it('says of every budget of the pod what it says, and how many healthy pods are missing', () => {
    const budgets = [makeBudget('b', [2, 3, 4]), makeBudget('a', [3, 1, 3]), makeBudget('c', [0, 9, 9], { app: 'db' })];
    expect(planEvictionReview(makePod(), budgets, 0)).toEqual({
      ...{ allowed: false, reason: message, matching: 2, healthyNeeded: 2 },
      budgets: [
        { name: 'a', allows: true, disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 },
        { name: 'b', allows: false, reason: 'Exhausted', message, healthyNeeded: 2, ...counts },
      ],
    });
  });

  it('asks for the most that any of them misses', () => {
    const { healthyNeeded, reason } = planEvictionReview(
      makePod(),
      [makeBudget('b', [2, 3, 4]), makeBudget('d', [1, 4, 5])],
      0,
    );
    expect(healthyNeeded).toBe(4);
    expect(reason).toBe(`${message}; The disruption budget d needs 4 healthy pods and has 1 currently`);
  });

  it('knows no number where a budget is not counted', () => {
    const answer = planEvictionReview(makePod(), [makeBudget('b', [3, 1, 3], { generation: 2 })], 0);
    expect(answer).toMatchObject({ allowed: false, budgets: [{ allows: false, reason: 'Processing' }] });
    expect(answer.healthyNeeded).toBeUndefined();
  });

  it.for([
    ['waits to run', makePod('Pending')],
    ['has ended', makePod('Failed')],
    ['is not healthy while enough others are', makePod('Running', false)],
  ] as const)('lets a pod go that %s, and still shows its budgets', ([, pod]) => {
    expect(planEvictionReview(pod, [makeBudget('b', [3, 3, 4])], 0)).toMatchObject({
      ...{ allowed: true, matching: 1, budgets: [{ name: 'b', allows: true }] },
    });
  });

  it('says why a budget never lets a healthy pod go', () => {
    const { budgets } = planEvictionReview(makePod(), [makeBudget('b', [3, 3, 3])], 0);
    expect(budgets?.[0]?.never).toBe('the disruption budget b needs 3 healthy pods, and there are to be 3');
  });
});
