import type { BudgetPod } from '../../policy/pod-disruption-budget/budget-pod.ts';
import { planEviction } from '../../policy/pod-disruption-budget/plan-eviction.ts';
import { selectBudgets } from '../../policy/pod-disruption-budget/select-budgets.ts';
import type { PodDisruptionBudget } from '../../policy/pod-disruption-budget/schema.ts';
import type { EvictionReviewStatus, ReviewedBudget } from './schema.ts';
import { explainNever } from './simulated-budget.ts';

/** What the budgets of a namespace say to the eviction of a pod: the same decision that evicts it. */
export function planEvictionReview(
  pod: BudgetPod,
  budgets: readonly PodDisruptionBudget[],
  nowMillis: number,
): Omit<EvictionReviewStatus, 'enforced'> {
  const own = selectBudgets(budgets, pod);
  const plan = planEviction({ pod, budgets: own, nowMillis });
  const refusals = plan.outcome === 'refuse' ? plan.refusals : [];
  const refusalOf = new Map(refusals.map((refusal) => [refusal.budgetName, refusal]));
  const reviewed = own.map((budget): ReviewedBudget => {
    const name = budget.metadata.name ?? '';
    const refusal = refusalOf.get(name);
    const never = explainNever(budget);
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = budget.status;
    return {
      name,
      allows: refusal === undefined,
      ...(refusal === undefined ? {} : { reason: refusal.reason, message: refusal.message }),
      ...(refusal === undefined || refusal.healthyNeeded === 0 ? {} : { healthyNeeded: refusal.healthyNeeded }),
      ...(never === undefined ? {} : { never }),
      ...{ disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods },
    };
  });
  const healthyNeeded = refusals.reduce((most, refusal) => Math.max(most, refusal.healthyNeeded), 0);
  return {
    allowed: plan.outcome !== 'refuse',
    ...(plan.outcome === 'refuse' ? { reason: refusals.map(({ message }) => message).join('; ') } : {}),
    matching: own.length,
    ...(healthyNeeded === 0 ? {} : { healthyNeeded }),
    budgets: reviewed,
  };
}
