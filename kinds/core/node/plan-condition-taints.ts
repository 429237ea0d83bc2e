import { formatTime } from '../../../core/time/time.ts';
import { changeTaints, hasTaint, isSameTaint } from './change-taints.ts';
import { findCondition, type NodeObject, type Taint } from './node-object.ts';
import { kubernetesTaintPrefix, type NodeTaintKeys } from './node-taint-keys.ts';

const effect = 'NoSchedule';

function listWanted(node: NodeObject, keys: NodeTaintKeys): Taint[] {
  const keysOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    Ready: { False: keys.notReady, Unknown: keys.unreachable },
    MemoryPressure: { True: keys.memoryPressure },
    DiskPressure: { True: keys.diskPressure },
    NetworkUnavailable: { True: keys.networkUnavailable },
    PIDPressure: { True: keys.pidPressure },
  };
  const wanted = (node.status?.conditions ?? []).flatMap(({ type, status }) => {
    const key = Object.hasOwn(keysOf, type) ? keysOf[type]?.[status] : undefined;
    return key === undefined ? [] : [{ key, effect }];
  });
  return node.spec?.unschedulable === true ? [...wanted, { key: keys.unschedulable, effect }] : wanted;
}

/** What Kubernetes' API server gives every new node, and nobody else may take off one that is ready. */
const newNodeTaint = { key: `${kubernetesTaintPrefix}/not-ready`, effect };

/**
 * The taints that keep new pods off a node as its conditions say: all of the node's taints as they must be written, `undefined` when
 * they are so. Taints of other keys and effects are left alone, but for the one that a host gives its new nodes.
 */
export function planConditionTaints(node: NodeObject, keys: NodeTaintKeys, nowMillis: number): Taint[] | undefined {
  const taints = node.spec?.taints ?? [];
  const wanted = listWanted(node, keys);
  const own = new Set(Object.values(keys).filter((key) => key !== keys.prefix));
  const isReady = findCondition(node.status?.conditions, 'Ready')?.status === 'True';
  const isOwn = (taint: Taint): boolean =>
    (taint.effect === effect && own.has(taint.key)) || (isReady && isSameTaint(taint, newNodeTaint));
  const remove = taints.filter((taint) => isOwn(taint) && !hasTaint(wanted, taint));
  const add = wanted.filter((taint) => !hasTaint(taints, taint));
  const timeAdded = formatTime(nowMillis);
  return changeTaints(taints, { add: add.map((taint) => ({ ...taint, timeAdded })), remove });
}
