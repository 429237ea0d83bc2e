import type { BudgetPod } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { isSelectedBy } from '../../kinds/policy/pod-disruption-budget/select-budgets.ts';
import { EventLoopYield } from '../../platform/process/event-loop-yield.ts';

/** The budgets that each pod belongs to, in their order, looked for in slices; absent where a pod is. */
export async function matchBudgets(
  budgets: readonly PodDisruptionBudget[],
  pods: readonly (BudgetPod | undefined)[],
): Promise<readonly PodDisruptionBudget[][]> {
  const matched: PodDisruptionBudget[][] = pods.map(() => []);
  const slices = new EventLoopYield();
  for (const budget of budgets) {
    for (const [i, pod] of pods.entries()) {
      if (slices.isDue()) await slices.pause();
      if (pod !== undefined && isSelectedBy(pod, budget)) matched[i]?.push(budget);
    }
  }
  return matched;
}
