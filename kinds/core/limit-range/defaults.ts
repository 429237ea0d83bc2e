import { setOwn } from '../../../core/meta/json.ts';
import { roundResourceList } from '../resource-lists.ts';
import type { ResourceList } from '../resource-lists.ts';
import type { LimitRange, LimitRangeItem } from './schema.ts';

function fillAbsent(target: ResourceList, source: ResourceList | undefined): void {
  for (const [name, amount] of Object.entries(source ?? {})) {
    if (!Object.hasOwn(target, name)) setOwn(target, name, amount);
  }
}

function applyContainerDefaults(item: LimitRangeItem): void {
  const limits: ResourceList = { ...item.default };
  fillAbsent(limits, item.max);
  const requests: ResourceList = { ...item.defaultRequest };
  fillAbsent(requests, limits);
  fillAbsent(requests, item.min);
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

/**
 * For containers, a missing default limit is the maximum, and a missing default request the default limit or else the
 * minimum. Every amount is rounded up to a thousandth, and an empty list of limits is written as null. In place.
 */
export function applyLimitRangeDefaults(range: LimitRange): void {
  if (range.spec.limits?.length === 0) range.spec.limits = null;
  for (const item of range.spec.limits ?? []) {
    if (item.type === 'Container') applyContainerDefaults(item);
    for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) {
      roundResourceList(list);
    }
  }
}
