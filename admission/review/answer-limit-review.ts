import { deepClone } from '../../core/meta/deep.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import {
  type LimitedSort,
  planLimitReview,
  planReviewedDefaults,
} from '../../kinds/review/limit-review/plan-limit-review.ts';
import type { LimitReviewStatus } from '../../kinds/review/limit-review/schema.ts';
import { LimitRangePlugin } from '../limits/limit-range-plugin.ts';
import { type ReadWrite, readReviewedWrite } from './read-reviewed-write.ts';
import type { ReviewCall, ReviewServices } from './review-services.ts';

/** Says to somebody who may not list limit ranges no more than whether the write keeps them. */
function hideRanges({ allowed, enforced, reason, limitRanges }: LimitReviewStatus): LimitReviewStatus {
  return {
    allowed,
    enforced,
    ...(reason === undefined ? {} : { reason: 'the write breaks the limit ranges of the namespace' }),
    limitRanges,
  };
}

async function review(services: ReviewServices, { attributes, prepare }: ReadWrite): Promise<LimitReviewStatus> {
  const plugin = new LimitRangePlugin({ ranges: services.ranges });
  const { object, namespace = '', resource } = attributes;
  const enforced = services.isEnforced(namespace);
  if (object === undefined || !plugin.handles(attributes)) {
    return { allowed: true, enforced, limitRanges: 0, defaulted: [], violations: [] };
  }
  const ranges = await services.ranges.list(namespace);
  const sort: LimitedSort = resource.resource === 'pods' ? 'pod' : 'claim';
  const defaulted = planReviewedDefaults(ranges, sort, deepClone(object));
  await plugin.mutate(attributes);
  prepare();
  const plan = planLimitReview(ranges, sort, object);
  return {
    ...plan,
    allowed: plan.allowed || !enforced,
    enforced,
    limitRanges: ranges.length,
    defaulted,
    ...(defaulted.length === 0 ? {} : { object: object as unknown as JsonObject }),
  };
}

/** Answers a LimitReview: the review with its status. Throws a StatusError for an object that cannot be reviewed. */
export async function answerLimitReview(services: ReviewServices, call: ReviewCall): Promise<JsonObject> {
  const status = await review(services, await readReviewedWrite(services, call));
  const shown = (await services.mayList(call.user, 'limitranges', call.namespace)) ? status : hideRanges(status);
  return { ...(call.review as JsonObject), status: shown as unknown as JsonObject };
}
