import { formatTime, parseTime } from '../../../core/time/time.ts';
import type { BudgetPod } from './budget-pod.ts';
import { deletionTimeoutMillis, planAllowedConditions } from './plan-budget-status.ts';
import type { PodDisruptionBudget } from './schema.ts';

/** How far beyond now the time of a charge may come by being renewed, in milliseconds. */
const maxHurryMillis = 10_000;

function readEntry({ status }: PodDisruptionBudget, podName: string): string | undefined {
  const entries = status.disruptedPods;
  return entries !== undefined && Object.hasOwn(entries, podName) ? entries[podName] : undefined;
}

/**
 * Whether a budget was charged for the eviction of this very pod and still counts it as gone, so that it need not be charged again. Not
 * so when its other pods have become too few since, or cannot be counted.
 */
export function holdsCharge(budget: PodDisruptionBudget, pod: BudgetPod, nowMillis: number): boolean {
  const entry = readEntry(budget, pod.metadata.name ?? '');
  const chargedMillis = entry === undefined ? undefined : parseTime(entry);
  if (chargedMillis === undefined || chargedMillis + deletionTimeoutMillis <= nowMillis) return false;
  if (chargedMillis < (parseTime(pod.metadata.creationTimestamp ?? '') ?? 0)) return false;
  const { currentHealthy, desiredHealthy, conditions = [] } = budget.status;
  return currentHealthy >= desiredHealthy && !conditions.some(({ reason }) => reason === 'SyncFailed');
}

/** Whether the charge for a pod was renewed so often in a moment that it must wait before it is renewed again. */
export function isChargeHurried(budget: PodDisruptionBudget, pod: BudgetPod, nowMillis: number): boolean {
  const entry = readEntry(budget, pod.metadata.name ?? '');
  return entry !== undefined && (parseTime(entry) ?? 0) > nowMillis + maxHurryMillis;
}

/**
 * A budget as it is after it was charged for the eviction of a pod: one disruption less, and the pod noted with the time. A charge that it
 * holds for the pod is only renewed, to a later time than it has: whoever made it must see that it is no longer theirs to take back.
 */
export function chargeBudget(budget: PodDisruptionBudget, pod: BudgetPod, nowMillis: number): PodDisruptionBudget {
  const name = pod.metadata.name ?? '';
  const { status } = budget;
  if (holdsCharge(budget, pod, nowMillis)) {
    const earlierMillis = parseTime(readEntry(budget, name) ?? '') ?? 0;
    const time = formatTime(Math.max(nowMillis, earlierMillis + 1000));
    return { ...budget, status: { ...status, disruptedPods: { ...status.disruptedPods, [name]: time } } };
  }
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed,
      disruptedPods: { ...status.disruptedPods, [name]: formatTime(nowMillis) },
      ...(disruptionsAllowed === 0
        ? { conditions: planAllowedConditions(status, disruptionsAllowed, status.observedGeneration, nowMillis) }
        : {}),
    },
  };
}

/**
 * The status of a budget after charges that came to nothing are taken out, by pod and with the time that they were written with;
 * `undefined` when it holds none of them. Nothing is given back: what may have changed since only a count knows.
 */
export function dropCharges(
  { status }: PodDisruptionBudget,
  charges: ReadonlyMap<string, string>,
): PodDisruptionBudget['status'] | undefined {
  const entries = Object.entries(status.disruptedPods ?? {});
  const kept = entries.filter(([name, time]) => charges.get(name) !== time);
  if (kept.length === entries.length) return undefined;
  const { disruptedPods: _, ...rest } = status;
  return { ...rest, ...(kept.length === 0 ? {} : { disruptedPods: Object.fromEntries(kept) }) };
}
