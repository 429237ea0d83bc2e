import { answerAdmissionReview } from '../../admission/review/answer-admission-review.ts';
import { answerEvictionReview } from '../../admission/review/answer-eviction-review.ts';
import { answerLimitReview } from '../../admission/review/answer-limit-review.ts';
import { answerQuotaReview } from '../../admission/review/answer-quota-review.ts';
import type {
  ReviewCall,
  ReviewedEvictions,
  ReviewedKind,
  ReviewServices,
} from '../../admission/review/review-services.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KindRegistry } from '../../kinds/registry.ts';
import type { Authorizer } from '../apiserver/authz/authorizer.ts';
import type { CreateHandler } from '../apiserver/subresource-handler.ts';

type Answer = (services: ReviewServices, call: ReviewCall) => Promise<JsonObject>;

const answers: readonly (readonly [kind: string, resource: string, answer: Answer])[] = [
  ['QuotaReview', 'quotareviews', answerQuotaReview],
  ['LimitReview', 'limitreviews', answerLimitReview],
];

/** Those about policies, where there are any. */
const policyAnswers: typeof answers = [['AdmissionReview', 'admissionreviews', answerAdmissionReview]];

/** Those about evictions, where there are budgets. */
const evictionAnswers: typeof answers = [['EvictionReview', 'evictionreviews', answerEvictionReview]];

/** Handlers of the review kinds in `review.{domain}`, embedded and behind a host's aggregator. */
export function createReviewHandlers(services: ReviewServices): CreateHandler[] {
  const group = `review.${services.domain}`;
  const answered = [
    ...answers,
    ...(services.policies === undefined ? [] : policyAnswers),
    ...(services.evictions === undefined ? [] : evictionAnswers),
  ];
  return answered.map(([kind, resource, answer]) => ({
    type: 'create',
    target: { group, version: 'v1', resource },
    bodyApiVersion: `${group}/v1`,
    bodyKind: kind,
    handle: async ({ namespace = '', body, user }) => ({
      code: 201,
      object: await answer(services, { namespace, review: body, user }),
    }),
  }));
}

/** Finds the kinds of reviewed objects in a registry. */
export function findRegisteredKind(registry: KindRegistry): ReviewServices['findKind'] {
  return async (group, version, kind): Promise<ReviewedKind | undefined> => {
    const definition = registry.findByKind(group, version, kind);
    return definition && { ...definition, definition };
  };
}

/** Asks an authorizer about limit ranges and quotas; `group` is the one under which they are listed. */
export function askMayList(authorizer: Authorizer, group: string): ReviewServices['mayList'] {
  return async (user, resource, namespace) => {
    const attributes = { type: 'resource', verb: 'list', group, version: 'v1', resource, namespace } as const;
    return (await authorizer.authorize(user, attributes)).allowed;
  };
}

/** Asks an authorizer about pods, and about budgets; `group` is the one under which budgets are listed. */
export function askMayListObjects(authorizer: Authorizer, group: string): ReviewedEvictions['mayListObjects'] {
  return async (user, resource, namespace) => {
    const place = namespace === undefined ? {} : { namespace };
    const listed = { group: resource === 'pods' ? '' : group, version: 'v1', resource, ...place };
    return (await authorizer.authorize(user, { type: 'resource', verb: 'list', ...listed })).allowed;
  };
}

/** Asks an authorizer about admission policies. */
export function askMayListPolicies(
  authorizer: Authorizer,
  domain: string,
): NonNullable<ReviewServices['mayListPolicies']> {
  const group = `admissionregistration.${domain}`;
  return async (user) => {
    const resource = 'validatingadmissionpolicies';
    const attributes = { type: 'resource', verb: 'list', group, version: 'v1', resource } as const;
    return (await authorizer.authorize(user, attributes)).allowed;
  };
}
