import type { JsonObject } from '../../core/meta/json.ts';
import { planAdmissionReview } from '../../kinds/review/admission-review/plan-admission-review.ts';
import type { AdmissionReviewStatus } from '../../kinds/review/admission-review/schema.ts';
import { LimitRangePlugin } from '../limits/limit-range-plugin.ts';
import { makePolicyRequest } from '../policy/make-policy-request.ts';
import { isExemptFromPolicies } from '../policy/policy-plugin.ts';
import { type ReadWrite, readReviewedWrite } from './read-reviewed-write.ts';
import type { ReviewCall, ReviewedPolicies, ReviewServices } from './review-services.ts';

/** Says to somebody who may not list policies what they would be told when they wrote, and no more. */
function hidePolicies({ allowed, reason, code, warnings, matching }: AdmissionReviewStatus): AdmissionReviewStatus {
  return {
    allowed,
    ...(reason === undefined ? {} : { reason }),
    ...(code === undefined ? {} : { code }),
    ...(warnings === undefined ? {} : { warnings }),
    matching,
  };
}

async function review(
  { services, decider, index }: ReviewedPolicies,
  { attributes }: ReadWrite,
): Promise<AdmissionReviewStatus> {
  if (isExemptFromPolicies(services.domain, attributes)) return { allowed: true, matching: 0 };
  const plain = makePolicyRequest(attributes, []);
  const equivalents = services.listEquivalents(plain.resource, plain.kind);
  const request = { ...plain, equivalents };
  const namespace = request.namespace === '' ? undefined : await services.findNamespace(request.namespace);
  const { verdict, steps } = await decider.decide(request, index.listAll(), namespace, { traces: true });
  return planAdmissionReview(verdict, steps);
}

/**
 * Answers an AdmissionReview: the review with its status. The object gets the defaults of limit ranges first, as it would when written.
 * Throws a StatusError for an object that cannot be reviewed.
 */
export async function answerAdmissionReview(services: ReviewServices, call: ReviewCall): Promise<JsonObject> {
  const { policies, mayListPolicies } = services;
  if (policies === undefined) throw new Error('there are no policies to ask');
  const write = await readReviewedWrite(services, { ...call, takesClusterScoped: true });
  const limits = new LimitRangePlugin({ ranges: services.ranges });
  if (limits.handles(write.attributes)) await limits.mutate(write.attributes);
  write.prepare();
  const status = await review(policies, write);
  const shown = (await mayListPolicies?.(call.user)) === true ? status : hidePolicies(status);
  return { ...(call.review as JsonObject), status: shown as unknown as JsonObject };
}
