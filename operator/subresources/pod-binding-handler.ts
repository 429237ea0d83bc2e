import { formatFieldError, aggregateMessages } from '../../core/errors/make-field-error.ts';
import { makeBadRequestError, makeConflictError } from '../../core/errors/make-status-error.ts';
import { StatusError } from '../../core/errors/status.ts';
import { bindPod, validateBinding } from '../../kinds/core/pod/bind-pod.ts';
import { bindingSchema } from '../../kinds/workloads/resolve-schema.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type {
  CreateHandler,
  SubresourceAnswer,
  SubresourceContext,
  SubresourceRequest,
} from '../apiserver/subresource-handler.ts';
import { successAnswer } from './success-answer.ts';

function checkBinding({ body }: SubresourceRequest, name: string): void {
  if (body.metadata.name !== name) throw makeBadRequestError('name in URL does not match name in Binding object');
  const faults = validateBinding(body).map(formatFieldError);
  if (faults.length === 0) return;
  // Kubernetes makes no Status of these faults itself: they come out as an error of unknown reason.
  const message = aggregateMessages(faults);
  throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

function checkPreconditions(
  pod: { metadata: { uid?: string; resourceVersion?: string } },
  { body }: SubresourceRequest,
  name: string,
): void {
  const { uid = '', resourceVersion = '' } = body.metadata;
  const fail = (what: string, wanted: string, found: string | undefined): never => {
    const message = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found ?? ''}`;
    throw makeConflictError('', 'pods', name, message);
  };
  if (uid !== '' && uid !== pod.metadata.uid) fail('UID', uid, pod.metadata.uid);
  if (resourceVersion !== '' && resourceVersion !== pod.metadata.resourceVersion) {
    fail('ResourceVersion', resourceVersion, pod.metadata.resourceVersion);
  }
}

async function bind(
  request: SubresourceRequest,
  context: SubresourceContext,
  name: string,
  nowMillis: number,
): Promise<SubresourceAnswer> {
  await context.updateParent((pod) => {
    checkPreconditions(pod, request, name);
    const obstacle = bindPod(pod, request.body, nowMillis);
    if (obstacle !== undefined) throw makeConflictError('', 'pods/binding', name, obstacle);
  });
  return successAnswer;
}

/** Serves `pods/binding`: a scheduler puts a pod on a node, once and for good. */
export function createPodBindingHandler(clock: Clock): CreateHandler {
  return {
    type: 'create',
    target: { group: '', version: 'v1', resource: 'pods', subresource: 'binding' },
    bodyApiVersion: 'v1',
    bodyKind: 'Binding',
    bodySchema: bindingSchema,
    async handle(request: SubresourceRequest, context: SubresourceContext) {
      checkBinding(request, request.name);
      await context.admit(request.body);
      return bind(request, context, request.name, clock.now());
    },
  };
}

/** Serves `bindings`, the older way to the same: the pod is the one that the body names. */
export function createBindingHandler(clock: Clock): CreateHandler {
  return {
    type: 'create',
    target: { group: '', version: 'v1', resource: 'bindings' },
    bodyApiVersion: 'v1',
    bodyKind: 'Binding',
    parentResource: 'pods',
    async handle(request: SubresourceRequest, context: SubresourceContext) {
      const name = request.body.metadata.name ?? '';
      checkBinding(request, name);
      return bind(request, context, name, clock.now());
    },
  };
}
