import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { compareQuantities, quantityFromInteger, signOfQuantity } from '../../../core/quantity/quantity.ts';
import { matchesScopes } from './match-quota.ts';
import type { ResourceQuotaSpec } from './schema.ts';
import { addUsage, exceedUsage, formatUsage, maskUsage, removeZeros, type Usage } from './usage.ts';
import type { QuotaRequest, UsageEvaluator } from './usage-evaluator.ts';

const ZERO = quantityFromInteger(0);

/** A quota as it stands while requests are charged to it. */
export interface QuotaState {
  readonly name: string;
  readonly spec: ResourceQuotaSpec;
  /** `status.hard`: the limits in force. */
  readonly hard: Usage;
  /** `status.used`, with what was charged since. */
  readonly used: Usage;
}

/** Either why a write is refused, in Kubernetes' wording, or what it adds to each quota, by its name; quotas it leaves alone are absent. */
export type ChargeDecision =
  | { readonly refusal: string; readonly charges?: undefined }
  | { readonly refusal?: undefined; readonly charges: ReadonlyMap<string, Usage> };

/**
 * What a write adds to one quota: all of an object that is new to the quota, else what it uses more than before.
 * Only resources of the quota that are not zero; empty when the object is none of the quota's business.
 */
export function planDelta(
  quota: Pick<QuotaState, 'spec' | 'hard'>,
  evaluator: UsageEvaluator,
  request: QuotaRequest,
  nowMillis: number,
): Usage {
  const { object, oldObject } = request;
  const names = evaluator.selectResources(quota.hard.keys());
  if (names.length === 0 || !matchesScopes(quota.spec, evaluator, object)) return new Map();
  const usage = evaluator.measure(object, nowMillis);
  const isCharged = oldObject !== undefined && matchesScopes(quota.spec, evaluator, oldObject);
  const delta = isCharged ? exceedUsage(usage, evaluator.measure(oldObject, nowMillis)) : usage;
  return maskUsage(removeZeros(delta), quota.hard.keys());
}

/** Whether a quota concerns an object: it limits something that such objects use, and the object is in its scopes. */
export function concernsObject(
  { spec, hard }: Pick<QuotaState, 'spec' | 'hard'>,
  evaluator: UsageEvaluator,
  object: KubeObject,
): boolean {
  return evaluator.selectResources(hard.keys()).length > 0 && matchesScopes(spec, evaluator, object);
}

function findRefusal(quota: QuotaState, evaluator: UsageEvaluator, request: QuotaRequest): string | undefined {
  const names = evaluator.selectResources(quota.hard.keys());
  const fault = evaluator.checkConstraints?.(names, request.object);
  if (fault !== undefined) return `failed quota: ${quota.name}: ${fault}`;
  if (names.every((name) => quota.used.has(name))) return undefined;
  return `status unknown for quota: ${quota.name}, resources: ${names.toSorted().join(',')}`;
}

function findExcess(quota: QuotaState, delta: Usage): string | undefined {
  const next = addUsage(quota.used, delta);
  const exceeded = [...delta.keys()].filter((name) => {
    const limit = quota.hard.get(name);
    return limit !== undefined && compareQuantities(next.get(name) ?? ZERO, limit) > 0;
  });
  if (exceeded.length === 0) return undefined;
  const [requested, used, limited] = [delta, quota.used, quota.hard].map((usage) =>
    formatUsage(maskUsage(usage, exceeded)),
  );
  return `exceeded quota: ${quota.name}, requested: ${requested}, used: ${used}, limited: ${limited}`;
}

/**
 * Decides whether a write fits all quotas of its namespace at once, and what it is charged ("ResourceQuota").
 * Writes of a status are charged but never refused for the amount: they report what is.
 */
export function planCharge(
  quotas: readonly QuotaState[],
  evaluator: UsageEvaluator,
  request: QuotaRequest,
  nowMillis: number,
): ChargeDecision {
  const charges = new Map<string, Usage>();
  if (!evaluator.handles(request)) return { charges };
  const concerned = quotas.filter((quota) => concernsObject(quota, evaluator, request.object));
  for (const quota of concerned) {
    const refusal = findRefusal(quota, evaluator, request);
    if (refusal !== undefined) return { refusal };
  }
  const usage: Usage = concerned.length === 0 ? new Map() : evaluator.measure(request.object, nowMillis);
  const negative = [...usage].filter(([, amount]) => signOfQuantity(amount) < 0).map(([name]) => name);
  if (negative.length > 0) {
    return { refusal: `quota usage is negative for resource(s): ${negative.toSorted().join(',')}` };
  }
  for (const quota of concerned) {
    const delta = planDelta(quota, evaluator, request, nowMillis);
    if (delta.size === 0) continue;
    const refusal = request.subresource === 'status' ? undefined : findExcess(quota, delta);
    if (refusal !== undefined) return { refusal };
    charges.set(quota.name, delta);
  }
  return { charges };
}
