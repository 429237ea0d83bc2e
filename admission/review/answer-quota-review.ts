import type { JsonObject } from '../../core/meta/json.ts';
import type { QuotaState } from '../../kinds/core/resource-quota/plan-charge.ts';
import type { ResourceQuota } from '../../kinds/core/resource-quota/schema.ts';
import { readUsage } from '../../kinds/core/resource-quota/usage.ts';
import { planQuotaReview } from '../../kinds/review/quota-review/plan-quota-review.ts';
import type { QuotaReviewStatus } from '../../kinds/review/quota-review/schema.ts';
import { LimitRangePlugin } from '../limits/limit-range-plugin.ts';
import { readQuotaRequest } from '../quota/read-quota-request.ts';
import { readReviewedWrite } from './read-reviewed-write.ts';
import type { ReviewCall, ReviewServices } from './review-services.ts';

/** A quota as it stands; what it limits but has not yet counted is unknown, and the decision says so. */
function readState({ metadata, spec, status }: ResourceQuota): QuotaState {
  return {
    name: metadata.name ?? '',
    spec,
    hard: readUsage(spec.hard),
    used: readUsage(status?.used),
  };
}

/** Says to somebody who may not list quotas no more than whether the write fits. */
function hideQuotas({ allowed, enforced, reason, matching }: QuotaReviewStatus): QuotaReviewStatus {
  return {
    allowed,
    enforced,
    ...(reason === undefined ? {} : { reason: 'the write does not fit the quotas of the namespace' }),
    matching,
  };
}

/**
 * Answers a QuotaReview: the review with its status. The object gets the defaults of limit ranges first, as it would when written.
 * Throws a StatusError for an object that cannot be reviewed.
 */
export async function answerQuotaReview(services: ReviewServices, call: ReviewCall): Promise<JsonObject> {
  const { namespace, review, user } = call;
  const { attributes, prepare } = await readReviewedWrite(services, call);
  const limits = new LimitRangePlugin({ ranges: services.ranges });
  if (limits.handles(attributes)) await limits.mutate(attributes);
  prepare();
  const request = readQuotaRequest(attributes);
  if (request === undefined) throw new Error('a reviewed write leaves an object behind');
  const evaluator = services.evaluators.find(attributes.resource.group, attributes.resource.resource);
  const quotas = await services.quotas.list(namespace);
  const plan = planQuotaReview(quotas.map(readState), evaluator, request, services.clock.now());
  const enforced = services.isEnforced(namespace);
  const answer = { ...plan, allowed: plan.allowed || !enforced, enforced };
  const status = (await services.mayList(user, 'resourcequotas', namespace)) ? answer : hideQuotas(answer);
  return { ...(review as JsonObject), status: status as unknown as JsonObject };
}
