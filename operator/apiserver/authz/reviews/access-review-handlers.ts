import { makeBadRequestError, makeInvalidError } from '../../../../core/errors/make-status-error.ts';
import type { JsonObject } from '../../../../core/meta/json.ts';
import type { CreateHandler, SubresourceAnswer, SubresourceRequest } from '../../subresource-handler.ts';
import type { Authorizer } from '../authorizer.ts';
import type { RbacIndex } from '../rbac/rbac-index.ts';
import { readReviewedAttributes, readReviewedUser } from './access-review-spec.ts';
import type { AccessReviewSpec } from './access-review-spec.ts';
import { describeSelectorFaults, validateAccessReview } from './validate-access-review.ts';

const group = 'authorization.k8s.io';
const version = 'v1';
const apiVersion = `${group}/${version}`;

type ReviewSort = 'subject' | 'self' | 'local';

const accessReviews: readonly (readonly [sort: ReviewSort, kind: string, resource: string])[] = [
  ['self', 'SelfSubjectAccessReview', 'selfsubjectaccessreviews'],
  ['subject', 'SubjectAccessReview', 'subjectaccessreviews'],
  ['local', 'LocalSubjectAccessReview', 'localsubjectaccessreviews'],
];

async function answerAccessReview(
  request: SubresourceRequest,
  sort: ReviewSort,
  authorizer: Authorizer,
): Promise<SubresourceAnswer> {
  const spec = (request.body['spec'] ?? {}) as AccessReviewSpec;
  const errors = validateAccessReview(spec, request.body.metadata, sort);
  // Kubernetes leaves the kind out of these errors.
  if (errors.length > 0) throw makeInvalidError(group, '', '', errors);
  const user = sort === 'self' ? request.user : readReviewedUser(spec);
  const { allowed, reason } = await authorizer.authorize(user, readReviewedAttributes(spec));
  const evaluationError = describeSelectorFaults(spec);
  const status = {
    allowed,
    ...(reason === '' ? {} : { reason }),
    ...(evaluationError === '' ? {} : { evaluationError }),
  };
  return { code: 201, object: { ...(request.body as JsonObject), status } };
}

function createAccessReviewHandler(
  [sort, kind, resource]: (typeof accessReviews)[number],
  authorizer: Authorizer,
): CreateHandler {
  return {
    type: 'create',
    target: { group, version, resource },
    bodyApiVersion: apiVersion,
    bodyKind: kind,
    handle: (request) => answerAccessReview(request, sort, authorizer),
  };
}

async function answerRulesReview(request: SubresourceRequest, index: RbacIndex): Promise<SubresourceAnswer> {
  const { namespace } = (request.body['spec'] ?? {}) as { namespace?: string };
  if (!namespace) throw makeBadRequestError('no namespace on request');
  await index.sync();
  const { rules, faults } = index.listRules(request.user, namespace);
  const resourceRules: JsonObject[] = [];
  const nonResourceRules: JsonObject[] = [];
  for (const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } of rules) {
    if (resources !== undefined && resources.length > 0) {
      resourceRules.push({
        verbs: [...verbs],
        ...(apiGroups === undefined ? {} : { apiGroups: [...apiGroups] }),
        resources: [...resources],
        ...(resourceNames === undefined || resourceNames.length === 0 ? {} : { resourceNames: [...resourceNames] }),
      });
    }
    if (nonResourceURLs !== undefined && nonResourceURLs.length > 0) {
      nonResourceRules.push({ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] });
    }
  }
  const status: JsonObject = {
    resourceRules,
    nonResourceRules,
    incomplete: false,
    ...(faults.length === 0 ? {} : { evaluationError: faults.length === 1 ? faults[0] : `[${faults.join(', ')}]` }),
  };
  const answer: JsonObject = { kind: 'SelfSubjectRulesReview', apiVersion, metadata: {}, spec: {}, status };
  return { code: 201, object: answer };
}

/** Handlers of the review kinds in `authorization.k8s.io`. */
export function createAccessReviewHandlers(options: {
  readonly authorizer: Authorizer;
  readonly index: RbacIndex;
}): CreateHandler[] {
  return [
    ...accessReviews.map((review) => createAccessReviewHandler(review, options.authorizer)),
    {
      type: 'create',
      target: { group, version, resource: 'selfsubjectrulesreviews' },
      bodyApiVersion: apiVersion,
      bodyKind: 'SelfSubjectRulesReview',
      handle: (request) => answerRulesReview(request, options.index),
    },
  ];
}
