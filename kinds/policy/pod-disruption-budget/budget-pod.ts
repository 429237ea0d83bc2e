import type { KubeObject, OwnerReference } from '../../../core/meta/kube-object.ts';

/** What budgets read of a pod; further fields do no harm. */
export interface BudgetPod extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly BudgetPodCondition[];
  };
}

/** What budgets read of a pod's condition. */
export interface BudgetPodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastTransitionTime?: string | null;
}

/** A pod's condition of a type; `undefined` when it has none. */
export function findPodCondition(pod: BudgetPod, type: string): BudgetPodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether a pod's condition Ready is True. */
export function isPodReady(pod: BudgetPod): boolean {
  return findPodCondition(pod, 'Ready')?.status === 'True';
}

/** Whether a pod is on its way out. */
export function isPodTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
}

/** Whether a pod has run to its end. */
export function isPodTerminal({ status }: BudgetPod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** The reference to the controller of an object; `undefined` when nobody manages it. */
export function findControllerReference({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
