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

/** One bound that is broken. */
export interface BoundFault {
  /** Type of the item that has the bound. */
  readonly type: string;
  /** Name of the container at fault; absent where the object as a whole is. */
  readonly subject?: string;
  readonly resource: string;
  /** What is wrong, in Kubernetes' wording. */
  readonly message: string;
  /** What would let it pass, as an instruction. */
  readonly remedy: string;
}

/** The words of a broken bound. */
type Fault = Pick<BoundFault, 'message' | 'remedy'>;

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

function checkMinimum(bound: Bound, needs: Needs): Fault | undefined {
  const { request, limit, requestValue, limitValue, bound: least } = compareNeeds(bound, needs);
  const amount = formatQuantity(bound.amount);
  const rule = `minimum ${bound.resource} usage per ${bound.type} is ${amount}`;
  const remedy = `request at least ${amount} of ${bound.resource}`;
  if (request === undefined) return { message: `${rule}.  No request is specified`, remedy };
  if (requestValue < least) return { message: `${rule}, but request is ${formatQuantity(request)}`, remedy };
  if (limit === undefined || limitValue >= least) return undefined;
  return {
    message: `${rule}, but limit is ${formatQuantity(limit)}`,
    remedy: `raise the limit of ${bound.resource} to at least ${amount}`,
  };
}

function checkMaximum(bound: Bound, needs: Needs): Fault | undefined {
  const { request, limit, requestValue, limitValue, bound: most } = compareNeeds(bound, needs);
  const amount = formatQuantity(bound.amount);
  const rule = `maximum ${bound.resource} usage per ${bound.type} is ${amount}`;
  const remedy = `set a limit of at most ${amount} of ${bound.resource}`;
  if (limit === undefined) return { message: `${rule}.  No limit is specified`, remedy };
  if (limitValue > most) return { message: `${rule}, but limit is ${formatQuantity(limit)}`, remedy };
  if (request === undefined || requestValue <= most) return undefined;
  return {
    message: `${rule}, but request is ${formatQuantity(request)}`,
    remedy: `request at most ${amount} of ${bound.resource}`,
  };
}

function checkMaximumRequest(bound: Bound, needs: Needs): Fault | undefined {
  const { request, requestValue, bound: most } = compareNeeds(bound, needs);
  const amount = formatQuantity(bound.amount);
  const rule = `maximum ${bound.resource} usage per ${bound.type} is ${amount}`;
  const remedy = `request at most ${amount} of ${bound.resource}`;
  if (request === undefined) return { message: `${rule}.  No request is specified`, remedy };
  return requestValue > most ? { message: `${rule}, but request is ${formatQuantity(request)}`, remedy } : undefined;
}

function checkRatio(bound: Bound, needs: Needs): Fault | undefined {
  const { request, limit, requestValue, limitValue } = compareNeeds(bound, needs);
  const amount = formatQuantity(bound.amount);
  const rule = `${bound.resource} max limit to request ratio per ${bound.type} is ${amount}`;
  const remedy = `set a request and a limit of ${bound.resource}, the limit at most ${amount} times the request`;
  if (request === undefined || requestValue === 0n) {
    return { message: `${rule}, but no request is specified or request is 0`, remedy };
  }
  if (limit === undefined || limitValue === 0n) {
    return { message: `${rule}, but no limit is specified or limit is 0`, remedy };
  }
  const ratio = Number(limitValue) / Number(requestValue);
  return ratio * 1000 > Number(quantityToMilli(bound.amount))
    ? { message: `${rule}, but provided ratio is ${ratio.toFixed(6)}`, remedy }
    : undefined;
}

type Check = (bound: Bound, needs: Needs) => Fault | undefined;

function checkBounds(item: LimitRangeItem, list: ResourceList | undefined, needs: Needs, check: Check): BoundFault[] {
  const { type } = item;
  return listResourceNames(list).flatMap((resource) => {
    const amount = readQuantity(readAmount(list, resource) ?? '0');
    const fault = check({ type, resource, amount }, needs);
    return fault === undefined ? [] : [{ type, resource, ...fault }];
  });
}

function checkItem(item: LimitRangeItem, needs: Needs): BoundFault[] {
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

/** Every bound of one limit range that a pod's containers, or the pod as a whole, break ("LimitRange"). */
export function planPodBounds(range: LimitRange, pod: PodResources): BoundFault[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return (range.spec.limits ?? []).flatMap((item) => {
    if (item.type === 'Container') {
      return containers.flatMap(({ name, resources }) =>
        checkItem(item, { requests: readUsage(resources?.requests), limits: readUsage(resources?.limits) }).map(
          (fault) => ({ ...fault, subject: name }),
        ),
      );
    }
    if (item.type !== 'Pod') return [];
    return checkItem(item, { requests: readPodNeeds(pod, 'requests'), limits: readPodNeeds(pod, 'limits') });
  });
}

/** Every bound of one limit range that a claim's request of storage breaks ("LimitRange"). */
export function planClaimBounds(range: LimitRange, claim: ClaimUse): BoundFault[] {
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
