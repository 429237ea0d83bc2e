import { formatTime } from '../../../core/time/time.ts';
import { changeTaints, hasTaint } from './change-taints.ts';
import type { NodeObject, Taint } from './node-object.ts';
import type { NodeTaintKeys } from './node-taint-keys.ts';

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

/**
 * The taints that keep new pods off a node as its conditions say: all of the node's taints as they must be written, `undefined` when
 * they are so. Taints of other keys and effects are left alone.
 */
export function planConditionTaints(node: NodeObject, keys: NodeTaintKeys, nowMillis: number): Taint[] | undefined {
  const taints = node.spec?.taints ?? [];
  const wanted = listWanted(node, keys);
  const own = new Set(Object.values(keys).filter((key) => key !== keys.prefix));
  const remove = taints.filter((taint) => taint.effect === effect && own.has(taint.key) && !hasTaint(wanted, taint));
  const add = wanted.filter((taint) => !hasTaint(taints, taint));
  const timeAdded = formatTime(nowMillis);
  return changeTaints(taints, { add: add.map((taint) => ({ ...taint, timeAdded })), remove });
}
