import {
  formatQuantity,
  type Quantity,
  quantityFromInteger,
  quantityToInteger,
  quantityToMilli,
  readQuantity,
} from '../../../core/quantity/quantity.ts';
import type { ClaimUse } from '../persistent-volume-claim/plan-claim-usage.ts';
import { type PodResources, readSpecified, sumContainers, type ResourceSide } from '../pod/pod-resources.ts';
import { listResourceNames, readAmount, type ResourceList } from '../resource-lists.ts';
import { readUsage, type Usage } from '../resource-quota/usage.ts';
import type { LimitRange, LimitRangeItem } from './schema.ts';

const ZERO = quantityFromInteger(0);
// Above this a value in thousandths no longer fits 64 bits, and Kubernetes compares whole units.
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

interface Bound {
  readonly type: string;
  readonly resource: string;
  readonly amount: Quantity;
}

interface Needs {
  readonly requests: Usage;
  readonly limits: Usage;
}

function toComparable(quantities: readonly Quantity[]): bigint[] {
  const whole = quantities.map(quantityToInteger);
  return whole.every((value) => value <= MAX_MILLI_VALUE) ? quantities.map(quantityToMilli) : whole;
}

function compareNeeds({ resource, amount }: Bound, { requests, limits }: Needs) {
  const request = requests.get(resource);
  const limit = limits.get(resource);
  const [requestValue = 0n, limitValue = 0n, bound = 0n] = toComparable([request ?? ZERO, limit ?? ZERO, amount]);
  return { request, limit, requestValue, limitValue, bound };
}

function checkMinimum(bound: Bound, needs: Needs): string | undefined {
  const { request, limit, requestValue, limitValue, bound: least } = compareNeeds(bound, needs);
  const rule = `minimum ${bound.resource} usage per ${bound.type} is ${formatQuantity(bound.amount)}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (requestValue < least) return `${rule}, but request is ${formatQuantity(request)}`;
  if (limit !== undefined && limitValue < least) return `${rule}, but limit is ${formatQuantity(limit)}`;
  return undefined;
}

function checkMaximum(bound: Bound, needs: Needs): string | undefined {
  const { request, limit, requestValue, limitValue, bound: most } = compareNeeds(bound, needs);
  const rule = `maximum ${bound.resource} usage per ${bound.type} is ${formatQuantity(bound.amount)}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (limitValue > most) return `${rule}, but limit is ${formatQuantity(limit)}`;
  if (request !== undefined && requestValue > most) return `${rule}, but request is ${formatQuantity(request)}`;
  return undefined;
}

function checkMaximumRequest(bound: Bound, needs: Needs): string | undefined {
  const { request, requestValue, bound: most } = compareNeeds(bound, needs);
  const rule = `maximum ${bound.resource} usage per ${bound.type} is ${formatQuantity(bound.amount)}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return requestValue > most ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
}

function checkRatio(bound: Bound, needs: Needs): string | undefined {
  const { request, limit, requestValue, limitValue } = compareNeeds(bound, needs);
  const rule = `${bound.resource} max limit to request ratio per ${bound.type} is ${formatQuantity(bound.amount)}`;
  if (request === undefined || requestValue === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === undefined || limitValue === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limitValue) / Number(requestValue);
  return ratio * 1000 > Number(quantityToMilli(bound.amount))
    ? `${rule}, but provided ratio is ${ratio.toFixed(6)}`
    : undefined;
}

type Check = (bound: Bound, needs: Needs) => string | undefined;

function checkBounds(item: LimitRangeItem, list: ResourceList | undefined, needs: Needs, check: Check): string[] {
  return listResourceNames(list).flatMap((resource) => {
    const amount = readQuantity(readAmount(list, resource) ?? '0');
    const fault = check({ type: item.type, resource, amount }, needs);
    return fault === undefined ? [] : [fault];
  });
}

function checkItem(item: LimitRangeItem, needs: Needs): string[] {
  return [
    ...checkBounds(item, item.min, needs, checkMinimum),
    ...checkBounds(item, item.max, needs, checkMaximum),
    ...checkBounds(item, item.maxLimitRequestRatio, needs, checkRatio),
  ];
}

function readPodNeeds(pod: PodResources, side: ResourceSide): Usage {
  const sum = new Map(sumContainers(pod, readSpecified(side)));
  for (const [name, amount] of readUsage(pod.spec?.resources?.[side])) {
    if (name === 'cpu' || name === 'memory') sum.set(name, amount);
  }
  return sum;
}

/** Every bound of one limit range that a pod's containers, or the pod as a whole, break, in Kubernetes' wording ("LimitRange"). */
export function planPodBounds(range: LimitRange, pod: PodResources): string[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return (range.spec.limits ?? []).flatMap((item) => {
    if (item.type === 'Container') {
      return containers.flatMap(({ resources }) =>
        checkItem(item, { requests: readUsage(resources?.requests), limits: readUsage(resources?.limits) }),
      );
    }
    if (item.type !== 'Pod') return [];
    return checkItem(item, { requests: readPodNeeds(pod, 'requests'), limits: readPodNeeds(pod, 'limits') });
  });
}

/** Every bound of one limit range that a claim's request of storage breaks, in Kubernetes' wording ("LimitRange"). */
export function planClaimBounds(range: LimitRange, claim: ClaimUse): string[] {
  const needs: Needs = { requests: readUsage(claim.spec?.resources?.requests), limits: new Map() };
  return (range.spec.limits ?? []).flatMap((item) =>
    item.type === 'PersistentVolumeClaim'
      ? [
          ...checkBounds(item, item.min, needs, checkMinimum),
          ...checkBounds(item, item.max, needs, checkMaximumRequest),
        ]
      : [],
  );
}
