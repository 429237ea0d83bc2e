import { makeBadRequestError, makeConflictError } from '../../core/errors/make-status-error.ts';
import { StatusError } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { setPodCondition } from '../../kinds/core/pod/pod-condition.ts';
import { readList, readNumber, readObject, readText } from '../../kinds/workloads/read-field.ts';
import { evictionSchema } from '../../kinds/workloads/resolve-schema.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { DeleteOptions, ObjectReference } from '../../platform/resources/resource-client.ts';
import type { CreateHandler, SubresourceContext, SubresourceRequest } from '../apiserver/subresource-handler.ts';
import { successAnswer } from './success-answer.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };

/** Whether the eviction is a rehearsal: as the query or the body says; they may not contradict each other. */
function readDryRun({ body, dryRun }: SubresourceRequest): boolean {
  const inBody = readList(body, 'deleteOptions', 'dryRun').map(String);
  if (readObject(body, 'deleteOptions') === undefined || inBody.length === (dryRun ? 1 : 0)) return dryRun;
  if (!dryRun) return true;
  const message = `Non-matching dry-run options in request and content: [All] and [${inBody.join(' ')}]`;
  throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

function readDeleteOptions({ body }: SubresourceRequest, dryRun: boolean): DeleteOptions {
  const options = readObject(body, 'deleteOptions');
  const gracePeriodSeconds = readNumber(options, 'gracePeriodSeconds');
  const propagationPolicy = readText(options, 'propagationPolicy');
  const uid = readText(options, 'preconditions', 'uid');
  const resourceVersion = readText(options, 'preconditions', 'resourceVersion');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === '' ? {} : { propagationPolicy }),
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(uid === '' && resourceVersion === ''
      ? {}
      : { preconditions: { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) } }),
  };
}

function checkPreconditions(pod: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid = '', resourceVersion = '' } = preconditions ?? {};
  const name = pod.metadata.name ?? '';
  const refuse = (what: string, wanted: string, found: string | undefined, cause: string): never => {
    const message = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found ?? ''}). ${cause}`;
    throw makeConflictError('', 'Pod', name, message);
  };
  if (uid !== '' && uid !== pod.metadata.uid) {
    refuse('UID', uid, pod.metadata.uid, 'The object might have been deleted and then recreated');
  }
  if (resourceVersion !== '' && resourceVersion !== pod.metadata.resourceVersion) {
    refuse('ResourceVersion', resourceVersion, pod.metadata.resourceVersion, 'The object might have been modified');
  }
}

async function evictPod(request: SubresourceRequest, context: SubresourceContext, nowMillis: number): Promise<void> {
  const dryRun = readDryRun(request);
  let options = readDeleteOptions(request, dryRun);
  const reference: ObjectReference = {
    resource: pods,
    name: request.name,
    ...(request.namespace === undefined ? {} : { namespace: request.namespace }),
  };
  if (dryRun) {
    await context.client.delete(reference, options);
    return;
  }
  const message = 'Eviction API: evicting';
  const marked = await context.updateParent((pod) => {
    checkPreconditions(pod, options);
    setPodCondition(
      pod,
      { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message },
      nowMillis,
    );
  });
  if (options.preconditions?.resourceVersion !== undefined) {
    // The version moved on because of the mark, and must not because of anybody else.
    const { resourceVersion = '' } = marked.metadata;
    options = { ...options, preconditions: { ...options.preconditions, resourceVersion } };
  }
  await context.client.delete(reference, options);
}

/**
 * Serves `pods/eviction`: marks the pod as a target of a disruption, then deletes it with the delete options of the body.
 * It asks nobody whether the disruption is allowed.
 */
export function createPodEvictionHandler(clock: Clock): CreateHandler {
  return {
    type: 'create',
    target: { group: '', version: 'v1', resource: 'pods', subresource: 'eviction' },
    bodyApiVersion: 'policy/v1',
    bodyKind: 'Eviction',
    bodySchema: evictionSchema,
    async handle(request: SubresourceRequest, context: SubresourceContext) {
      if (request.body.metadata.name !== request.name) {
        throw makeBadRequestError('name in URL does not match name in Eviction object');
      }
      await context.admit(request.body);
      await evictPod(request, context, clock.now());
      return successAnswer;
    },
  };
}
