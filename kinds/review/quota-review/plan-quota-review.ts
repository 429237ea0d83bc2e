import { quantityFromInteger, subtractQuantities } from '../../../core/quantity/quantity.ts';
import { concernsObject, planCharge, planDelta, type QuotaState } from '../../core/resource-quota/plan-charge.ts';
import { maskUsage, type Usage, writeUsage } from '../../core/resource-quota/usage.ts';
import type { QuotaRequest, UsageEvaluator } from '../../core/resource-quota/usage-evaluator.ts';
import type { QuotaReviewStatus, ReviewedQuota } from './schema.ts';

const ZERO = quantityFromInteger(0);

function subtractUsed({ hard, used }: QuotaState): Usage {
  return new Map([...hard].map(([name, limit]) => [name, subtractQuantities(limit, used.get(name) ?? ZERO)]));
}

function listScopes({ scopes = [], scopeSelector }: QuotaState['spec']): string[] {
  const selected = (scopeSelector?.matchExpressions ?? []).map(({ scopeName }) => scopeName);
  return [...new Set([...scopes, ...selected])];
}

function reviewOne(
  quota: QuotaState,
  evaluator: UsageEvaluator,
  request: QuotaRequest,
  nowMillis: number,
): ReviewedQuota {
  const matches = evaluator.handles(request) && concernsObject(quota, evaluator, request.object);
  const { refusal } = planCharge([quota], evaluator, request, nowMillis);
  const scopes = listScopes(quota.spec);
  const requested = matches ? planDelta(quota, evaluator, request, nowMillis) : new Map();
  return {
    name: quota.name,
    matches,
    ...(scopes.length === 0 ? {} : { scopes }),
    fits: refusal === undefined,
    ...(refusal === undefined ? {} : { reason: refusal }),
    ...(requested.size === 0 ? {} : { requested: writeUsage(requested) }),
    used: writeUsage(maskUsage(quota.used, quota.hard.keys())),
    hard: writeUsage(quota.hard),
    left: writeUsage(subtractUsed(quota)),
  };
}

/**
 * What the quotas of a namespace say to a write, each by itself and all together: the same decision that charges the write.
 * `evaluator` is `undefined` for objects that no quota counts.
 */
export function planQuotaReview(
  quotas: readonly QuotaState[],
  evaluator: UsageEvaluator | undefined,
  request: QuotaRequest,
  nowMillis: number,
): Required<Pick<QuotaReviewStatus, 'allowed' | 'matching' | 'quotas'>> & Pick<QuotaReviewStatus, 'reason'> {
  if (evaluator === undefined) return { allowed: true, matching: 0, quotas: [] };
  const { refusal } = planCharge(quotas, evaluator, request, nowMillis);
  const reviewed = quotas.map((quota) => reviewOne(quota, evaluator, request, nowMillis));
  return {
    allowed: refusal === undefined,
    ...(refusal === undefined ? {} : { reason: refusal }),
    matching: reviewed.filter(({ matches }) => matches).length,
    quotas: reviewed,
  };
}
