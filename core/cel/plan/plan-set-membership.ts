import { CelError, type CelList } from '../values/cel-value.ts';
import { toItems } from '../values/array-list.ts';
import { isKey, toHashKey, unhashable } from '../values/value-map.ts';
import type { Evaluate } from './frame.ts';
import type { PlanNode } from './plan-node.ts';

/** `x in [1, 2]` of constants that are looked up; it costs nothing, as in cel-go. `undefined`: the list holds others. */
export function planSetMembership(value: Evaluate, list: CelList): PlanNode | undefined {
  if (list.size === 0) return { kind: 'constant', value: false };
  const items = toItems(list);
  if (!items.every(isKey)) return undefined;
  const members = new Set(items.map(toHashKey));
  return {
    kind: 'computed',
    evaluate: (frame) => {
      const item = value(frame);
      if (item instanceof CelError) return item;
      if (item instanceof Uint8Array) return unhashable;
      const key = toHashKey(item);
      return key !== undefined && members.has(key);
    },
  };
}
