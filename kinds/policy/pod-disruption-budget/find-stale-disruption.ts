import { parseTime } from '../../../core/time/time.ts';
import { type BudgetPod, findPodCondition, isPodTerminal, isPodTerminating } from './budget-pod.ts';

/** How long a pod may be a target of a disruption without being deleted, in milliseconds. */
const staleTimeoutMillis = 120_000;

/**
 * When the condition DisruptionTarget of a pod is out of date, in milliseconds since the epoch; `undefined` when it has none, is on its way out
 * or at its end, or when its node ends it, which may take as long as it does.
 */
export function findStaleDisruption(pod: BudgetPod): number | undefined {
  if (isPodTerminating(pod) || isPodTerminal(pod)) return undefined;
  const condition = findPodCondition(pod, 'DisruptionTarget');
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
  return (parseTime(condition.lastTransitionTime ?? '') ?? 0) + staleTimeoutMillis;
}
