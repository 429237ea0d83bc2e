import {
  type BudgetPod,
  findControllerReference,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
} from '../../policy/pod-disruption-budget/budget-pod.ts';
import { judgeImpossibleBudget } from '../../policy/pod-disruption-budget/judge-impossible-budget.ts';
import { computeDisruptionsAllowed } from '../../policy/pod-disruption-budget/plan-budget-status.ts';
import type { PodDisruptionBudget } from '../../policy/pod-disruption-budget/schema.ts';

function countsByNumber({ spec }: PodDisruptionBudget): boolean {
  return typeof spec.minAvailable === 'number';
}

/** Whether somebody makes another pod once this one is gone; who has made it already does not count. */
function isReplaced(pod: BudgetPod): boolean {
  const reference = findControllerReference(pod);
  if (reference === undefined || isPodTerminal(pod)) return false;
  // Stateful sets wait until a pod is gone, others have made its replacement when they see it go.
  return !isPodTerminating(pod) || reference.kind === 'StatefulSet';
}

function isCounted(pod: BudgetPod, { status }: PodDisruptionBudget): boolean {
  const grants = status.disruptedPods ?? {};
  return isPodReady(pod) && !isPodTerminating(pod) && !Object.hasOwn(grants, pod.metadata.name ?? '');
}

/** Whether nothing is known of how many disruptions a budget allows, because its pods cannot be counted. */
function findSyncFailure({ status }: PodDisruptionBudget): string | undefined {
  return status.conditions?.find(({ type, reason }) => type === 'DisruptionAllowed' && reason === 'SyncFailed')
    ?.message;
}

function recount(budget: PodDisruptionBudget, status: PodDisruptionBudget['status']): PodDisruptionBudget {
  return { ...budget, status: { ...status, disruptionsAllowed: computeDisruptionsAllowed(status) } };
}

/**
 * A budget as it is counted when some of its pods are gone and their replacements are Ready. `before` is as it was before it was charged for
 * them, `charged` as it is since. With `isHealed` all of its pods were counted as healthy.
 */
export function recountWithout(
  before: PodDisruptionBudget,
  charged: PodDisruptionBudget,
  gone: readonly BudgetPod[],
  isHealed: boolean,
): PodDisruptionBudget {
  if (findSyncFailure(before) !== undefined) return before;
  let { currentHealthy, expectedPods } = before.status;
  const disruptedPods = { ...charged.status.disruptedPods };
  for (const pod of gone) {
    const wasHealthy = isHealed || isCounted(pod, before);
    delete disruptedPods[pod.metadata.name ?? ''];
    if (isReplaced(pod)) {
      if (!wasHealthy) currentHealthy += 1;
      continue;
    }
    if (wasHealthy) currentHealthy -= 1;
    if (countsByNumber(before)) expectedPods -= 1;
  }
  return recount(before, { ...before.status, disruptedPods, currentHealthy, expectedPods });
}

/** A budget as it would be if all of its pods were healthy. */
export function recountHealthy(budget: PodDisruptionBudget): PodDisruptionBudget {
  const { currentHealthy, expectedPods } = budget.status;
  return recount(budget, { ...budget.status, currentHealthy: Math.max(currentHealthy, expectedPods) });
}

/** Why a budget lets no healthy pod go even when all of its pods are healthy; `undefined` when it does. */
export function explainNever(budget: PodDisruptionBudget): string | undefined {
  const name = budget.metadata.name ?? '';
  const failure = findSyncFailure(budget);
  if (failure !== undefined) return `the pods of the disruption budget ${name} cannot be counted: ${failure}`;
  const { spec, status } = budget;
  const impossible = judgeImpossibleBudget(spec, undefined);
  if (impossible !== undefined) return `the disruption budget ${name}: ${impossible.message}`;
  const { expectedPods, desiredHealthy } = status;
  if (expectedPods > desiredHealthy) return undefined;
  return `the disruption budget ${name} needs ${desiredHealthy} healthy pods, and there are to be ${expectedPods}`;
}
