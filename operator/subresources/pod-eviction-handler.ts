import type { EvictionAnswer } from '../../admission/eviction/decide-evictions.ts';
import type { EvictionQueue } from '../../admission/eviction/eviction-queue.ts';
import {
  findPreconditionFault,
  readEvictionDryRun,
  readEvictionOptions,
} from '../../admission/eviction/eviction-request.ts';
import { makeEvictionDenial } from '../../admission/eviction/make-eviction-denial.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import { makeInvalid } from '../../core/errors/make-field-error.ts';
import { makeBadRequestError, makeInvalidError, makeNotFoundError } from '../../core/errors/make-status-error.ts';
import { hasReason, StatusError } from '../../core/errors/status.ts';
import { setPodCondition } from '../../kinds/core/pod/pod-condition.ts';
import { makeProcessingRefusal } from '../../kinds/policy/pod-disruption-budget/plan-eviction.ts';
import { readFlag } from '../../kinds/workloads/read-field.ts';
import { evictionSchema } from '../../kinds/workloads/resolve-schema.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { DeleteOptions } from '../../platform/resources/resource-client.ts';
import type { CreateHandler, SubresourceContext, SubresourceRequest } from '../apiserver/subresource-handler.ts';
import { successAnswer } from './success-answer.ts';

/** What evictions need. */
export interface PodEvictionOptions {
  readonly clock: Clock;
  readonly evictions: EvictionQueue;
}

type Granted = Extract<EvictionAnswer, { outcome: 'granted' }>;

/** As many as Kubernetes makes. */
const maxAttempts = 20;

function checkEviction({ body, name }: SubresourceRequest): void {
  if (body.metadata.name !== name) throw makeBadRequestError('name in URL does not match name in Eviction object');
  const option = 'ignoreStoreReadErrorWithClusterBreakingPotential';
  if (!readFlag(body, 'deleteOptions', option)) return;
  const path = FieldPath.root('deleteOptions').child(option);
  const fault = makeInvalid(path, true, 'can not be set for pod eviction, try after removing the option');
  throw makeInvalidError('policy', 'Eviction', name, [fault]);
}

/** How the eviction is rehearsed, as the query or the body says, which may not contradict each other; empty when it is meant. */
function readDryRun({ body, dryRun }: SubresourceRequest): readonly string[] {
  const inBody = readEvictionDryRun(body);
  if (inBody.length === 0) return dryRun ? ['All'] : [];
  if (!dryRun || (inBody.length === 1 && inBody[0] === 'All')) return inBody;
  const message = `Non-matching dry-run options in request and content: [All] and [${inBody.join(' ')}]`;
  throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

/** Marks the pod as the target of a disruption, and deletes it; a rehearsal only pretends to do the latter. */
async function deletePod(context: SubresourceContext, options: DeleteOptions, nowMillis: number): Promise<void> {
  if ((options.dryRun ?? []).length > 0) {
    await context.deleteParent(options);
    return;
  }
  const marked = await context.updateParent((pod) => {
    const fault = findPreconditionFault(pod, options);
    if (fault !== undefined) throw fault;
    const message = 'Eviction API: evicting';
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message } as const;
    setPodCondition(pod, condition, nowMillis);
  });
  if (options.preconditions?.resourceVersion === undefined) {
    await context.deleteParent(options);
    return;
  }
  // The version moved on because of the mark, and must not because of anybody else.
  const { resourceVersion = '' } = marked.metadata;
  await context.deleteParent({ ...options, preconditions: { ...options.preconditions, resourceVersion } });
}

function pinVersion(options: DeleteOptions, { pod, plan }: Granted): DeleteOptions {
  const { resourceVersion } = pod.metadata;
  if (!plan.pinsVersion || resourceVersion === undefined) return options;
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

async function decide(
  evictions: EvictionQueue,
  { namespace = '', name }: SubresourceRequest,
  options: DeleteOptions,
): Promise<Granted> {
  const dryRun = (options.dryRun ?? []).length > 0;
  const answer = await evictions.decide(namespace, { podName: name, options, dryRun });
  switch (answer.outcome) {
    case 'granted':
      return answer;
    case 'refused':
      throw makeEvictionDenial(answer.refusals);
    case 'mismatched':
      throw answer.fault;
    case 'absent':
      throw makeNotFoundError('', 'pods', name);
    default:
      throw new Error('an eviction without a deadline was given up');
  }
}

async function evictPod(
  { clock, evictions }: PodEvictionOptions,
  request: SubresourceRequest,
  context: SubresourceContext,
  dryRun: readonly string[],
): Promise<void> {
  const options: DeleteOptions = { ...readEvictionOptions(request.body), dryRun };
  const isPinnedByClient = options.preconditions?.resourceVersion !== undefined;
  for (let attempt = 1; ; attempt++) {
    const granted = await decide(evictions, request, options);
    try {
      await deletePod(context, isPinnedByClient ? options : pinVersion(options, granted), clock.now());
      return;
    } catch (error) {
      if (!granted.plan.pinsVersion || isPinnedByClient || !hasReason(error, 'Conflict')) throw error;
      // It is no longer the pod that was judged.
      const [spared] = granted.plan.spared;
      if (spared !== undefined) throw makeEvictionDenial([makeProcessingRefusal(spared.metadata.name ?? '')]);
      if (attempt === maxAttempts) throw error;
    }
  }
}

/**
 * Serves `pods/eviction`: asks the budgets of the pod, and when none stands in the way, charges them, marks the pod as a target of a
 * disruption, and deletes it with the delete options of the body. Nobody judges the deletion besides.
 */
export function createPodEvictionHandler(parts: PodEvictionOptions): CreateHandler {
  return {
    type: 'create',
    target: { group: '', version: 'v1', resource: 'pods', subresource: 'eviction' },
    bodyApiVersion: 'policy/v1',
    bodyKind: 'Eviction',
    olderBodyApiVersions: ['policy/v1beta1'],
    bodySchema: evictionSchema,
    async handle(request: SubresourceRequest, context: SubresourceContext) {
      checkEviction(request);
      const dryRun = readDryRun(request);
      await context.admit(request.body);
      await evictPod(parts, request, context, dryRun);
      return successAnswer;
    },
  };
}
