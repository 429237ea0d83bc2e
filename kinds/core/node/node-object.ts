import type { KubeObject } from '../../../core/meta/kube-object.ts';

/** What a node keeps pods away by, or drives them off. */
export type Taint = {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
};

/** One condition of a node, as its agent or a controller wrote it. */
export type NodeCondition = {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastHeartbeatTime?: string | null;
  lastTransitionTime?: string | null;
};

/** As much of a Node as its life is decided by. */
export interface NodeObject extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: Taint[] };
  status?: { conditions?: NodeCondition[] };
}

/** The condition of a type; `undefined` when the node has none. */
export function findCondition(
  conditions: readonly NodeCondition[] | undefined,
  type: string,
): NodeCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
