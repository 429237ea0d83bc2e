import { FieldPath } from '../../core/errors/field-path.ts';
import { makeNotFound } from '../../core/errors/make-field-error.ts';
import { makeForbiddenError } from '../../core/errors/make-status-error.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { BudgetPod } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import { planEvictionReview } from '../../kinds/review/eviction-review/plan-eviction-review.ts';
import type { EvictionReview, EvictionReviewStatus } from '../../kinds/review/eviction-review/schema.ts';
import { podResource } from '../../kinds/core/pod/pod-resource.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import { matchBudgets } from '../eviction/match-budgets.ts';
import { refuseReview } from './refuse-review.ts';
import { type DrainReviewOptions, reviewDrain, unnamedBudget } from './review-drain.ts';
import type { ReviewCall, ReviewServices } from './review-services.ts';

const SPEC = FieldPath.root('spec');

async function reviewPod(
  { services, evictions, call }: DrainReviewOptions,
  name: string,
): Promise<EvictionReviewStatus> {
  const { namespace, user } = call;
  if (!(await evictions.mayListObjects(user, 'pods', namespace))) {
    const message = `User ${JSON.stringify(user.username)} cannot list resource "pods" in API group "" in the namespace ${JSON.stringify(namespace)}`;
    throw makeForbiddenError('', 'pods', name, message);
  }
  const pod = await getIfPresent<BudgetPod>(evictions.client, { resource: podResource, namespace, name });
  if (pod === undefined) throw refuseReview(call, [makeNotFound(SPEC.child('pod'), name)]);
  const [own = []] = await matchBudgets(await evictions.budgets.list(namespace), [pod]);
  const plan = planEvictionReview(pod, own, services.clock.now());
  const enforced = services.isEnforced(namespace);
  const { budgets, ...answer } = { ...plan, allowed: plan.allowed || !enforced, enforced };
  if (await evictions.mayListObjects(user, 'poddisruptionbudgets', namespace)) {
    return { ...answer, ...(budgets === undefined ? {} : { budgets }) };
  }
  return answer.reason === undefined ? answer : { ...answer, reason: unnamedBudget };
}

/** Answers an EvictionReview: the review with its status. Throws a StatusError for a pod or a node that cannot be reviewed. */
export async function answerEvictionReview(services: ReviewServices, call: ReviewCall): Promise<JsonObject> {
  const { evictions } = services;
  if (evictions === undefined) throw new Error('nobody can tell of evictions here');
  const { pod = '', node = '' } = (call.review as unknown as EvictionReview).spec;
  const options = { services, evictions, call };
  const status = pod === '' ? await reviewDrain(options, node) : await reviewPod(options, pod);
  if (status === undefined) throw refuseReview(call, [makeNotFound(SPEC.child('node'), node)]);
  return { ...(call.review as JsonObject), status: status as unknown as JsonObject };
}
