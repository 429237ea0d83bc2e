import {
  type BudgetPod,
  findControllerReference,
  isPodTerminal,
} from '../../policy/pod-disruption-budget/budget-pod.ts';
import { readField, readItems } from '../../workloads/read-field.ts';

const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** What `kubectl drain` does with a pod before anybody asks a budget. */
export interface DrainFilter {
  /** Why the pod stays where it is; `undefined` when it is to be evicted. */
  readonly stays: string | undefined;
  /** Options without which it does not begin because of this pod. */
  readonly drainOptions: readonly string[];
}

/** Whether a pod belongs to a DaemonSet, by its reference alone. */
export function isOfDaemonSet(pod: BudgetPod): boolean {
  const reference = findControllerReference(pod);
  return reference?.kind === 'DaemonSet' && reference.apiVersion === 'apps/v1';
}

/**
 * Sorts out a pod as `kubectl drain` does: pods of DaemonSets and mirror pods stay; pods with local storage and pods without a controller go
 * when it is told so, and so do those whose DaemonSet is gone. What has run to its end goes anyway.
 */
export function planDrainFilter(pod: BudgetPod, { hasDaemonSet }: { readonly hasDaemonSet: boolean }): DrainFilter {
  const isOver = isPodTerminal(pod);
  const isDaemon = !isOver && isOfDaemonSet(pod);
  if (isDaemon && hasDaemonSet) {
    return { stays: 'a pod of a DaemonSet, which would come back to the node', drainOptions: ['--ignore-daemonsets'] };
  }
  if (readField(pod, 'metadata', 'annotations', mirrorAnnotation) !== undefined) {
    return { stays: 'a mirror pod, which only the node itself can remove', drainOptions: [] };
  }
  if (isOver) return { stays: undefined, drainOptions: [] };
  const storesLocally = readItems(pod, 'spec', 'volumes').some(
    ({ emptyDir }) => emptyDir !== undefined && emptyDir !== null,
  );
  const isForced = isDaemon || findControllerReference(pod) === undefined;
  return {
    stays: undefined,
    drainOptions: [...(storesLocally ? ['--delete-emptydir-data'] : []), ...(isForced ? ['--force'] : [])],
  };
}
