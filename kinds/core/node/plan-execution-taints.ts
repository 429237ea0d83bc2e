import { formatTime } from '../../../core/time/time.ts';
import { changeTaints, hasTaint } from './change-taints.ts';
import { findCondition, type NodeObject, type Taint } from './node-object.ts';
import type { NodeTaintKeys } from './node-taint-keys.ts';

const effect = 'NoExecute';

/** What becomes of the taints that drive pods off a node. */
export type ExecutionPlan =
  /** Nothing is known of the node yet. */
  | { readonly outcome: 'wait' }
  /** All is as it must be, but for `taints` (`undefined`: nothing). */
  | { readonly outcome: 'write'; readonly taints: Taint[] | undefined }
  /** The taint must come, as fast as the node's zone allows. */
  | { readonly outcome: 'queue'; readonly lacksTaint: boolean };

/** The taint that a node's `Ready` asks for, and the one that it rules out; `undefined` when the node is ready or nothing is known. */
function chooseExecutionTaint(
  ready: string | undefined,
  keys: NodeTaintKeys,
): { readonly wanted: Taint; readonly opposite: Taint } | undefined {
  const notReady = { key: keys.notReady, effect };
  const unreachable = { key: keys.unreachable, effect };
  if (ready === 'False') return { wanted: notReady, opposite: unreachable };
  if (ready === 'Unknown') return { wanted: unreachable, opposite: notReady };
  return undefined;
}

/** The taints of a node without those that drive pods off it for its health; `undefined` when it has none of them. */
export function planReachable(node: NodeObject, keys: NodeTaintKeys): Taint[] | undefined {
  const remove = [keys.notReady, keys.unreachable].map((key) => ({ key, effect }));
  return changeTaints(node.spec?.taints ?? [], { remove });
}

/** The taints of a node that its zone has let through; `undefined` when it is ready again, or tainted. */
export function planTainting(node: NodeObject, keys: NodeTaintKeys, nowMillis: number): Taint[] | undefined {
  const choice = chooseExecutionTaint(findCondition(node.status?.conditions, 'Ready')?.status, keys);
  if (choice === undefined) return undefined;
  const taints = node.spec?.taints ?? [];
  const add = hasTaint(taints, choice.wanted) ? [] : [{ ...choice.wanted, timeAdded: formatTime(nowMillis) }];
  return changeTaints(taints, { add, remove: [choice.opposite] });
}

/** What a look at a node asks for: a node that fell silent, or spoke up, while its pods were being driven off has its taint swapped at once. */
export function planExecutionTaints(
  node: NodeObject,
  ready: string | undefined,
  keys: NodeTaintKeys,
  nowMillis: number,
): ExecutionPlan {
  const taints = node.spec?.taints ?? [];
  const choice = chooseExecutionTaint(ready, keys);
  if (choice === undefined) {
    return ready === 'True' ? { outcome: 'write', taints: planReachable(node, keys) } : { outcome: 'wait' };
  }
  const { wanted, opposite } = choice;
  if (!hasTaint(taints, opposite)) return { outcome: 'queue', lacksTaint: !hasTaint(taints, wanted) };
  const add = [{ ...wanted, timeAdded: formatTime(nowMillis) }];
  return { outcome: 'write', taints: changeTaints(taints, { add, remove: [opposite] }) };
}
