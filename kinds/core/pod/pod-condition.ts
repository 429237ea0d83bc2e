import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatTime } from '../../../core/time/time.ts';
import { ensureObject, readItems, readText } from '../../workloads/read-field.ts';

/** A condition of a pod, without its times. */
export interface PodConditionChange {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  /** Generation of the pod that the condition was set from. */
  readonly observedGeneration?: number;
}

/** Sets a condition in a pod's status, in place; its time of transition moves only when its status changes. */
export function setPodCondition(pod: KubeObject, change: PodConditionChange, nowMillis: number): void {
  const status = ensureObject(pod, 'status');
  const conditions = readItems(status, 'conditions');
  const index = conditions.findIndex((condition) => condition['type'] === change.type);
  const old = conditions[index];
  const isSame = old !== undefined && old['status'] === change.status;
  const lastTransitionTime = isSame ? readText(old, 'lastTransitionTime') : formatTime(nowMillis);
  const condition: JsonObject = { lastProbeTime: null, lastTransitionTime, ...change };
  if (old === undefined) conditions.push(condition);
  else conditions[index] = condition;
  status['conditions'] = conditions;
}
