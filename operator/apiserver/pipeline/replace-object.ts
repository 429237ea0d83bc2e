import { makeConflictError } from '../../../core/errors/make-status-error.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import type { KubeObject, ManagedFieldsEntry } from '../../../core/meta/kube-object.ts';
import type { WriteStrategy } from '../../../kinds/kind-definition.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { WriteParameters } from './query-parameters.ts';
import { recordManagers } from './record-managers.ts';
import type { RequestContext } from './request-context.ts';
import type { ResourceTarget } from './resource-target.ts';
import type { AnyObject } from './stored-encoding.ts';
import { updateObject } from './update-object.ts';
import { checkName, settleNamespace, type WriteResult } from './write-steps.ts';

/** A PUT of an object, or of a subresource that shows the whole object; `object` is consumed. */
export interface ReplaceRequest {
  readonly target: ResourceTarget;
  /** Absent for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
  readonly strategy: WriteStrategy<KubeObject>;
  /** Decoded, under the kind's own group, defaulted. */
  readonly object: AnyObject;
  /** The record of managers as the body had it, where decoding drops an empty list. */
  readonly requestedManagedFields: readonly ManagedFieldsEntry[] | undefined;
  readonly write: WriteParameters;
}

/** Replaces an object. Throws a StatusError for every refusal. */
export async function replaceObject(
  services: PipelineServices,
  request: ReplaceRequest,
  context: RequestContext,
): Promise<WriteResult> {
  const { target, object, name, namespace } = request;
  settleNamespace(target, namespace, object);
  checkName(object, name);
  dropDuplicateOwners(object, false, context.warn);
  const uid = object.metadata.uid ?? '';
  const allowsCreate = request.subresource === undefined && target.kind.strategy.allowCreateOnUpdate === true;
  let isFirst = true;
  return updateObject(
    services,
    {
      target,
      namespace,
      name,
      subresource: request.subresource,
      strategy: request.strategy,
      write: request.write,
      allowsCreate,
      ...(uid === '' ? {} : { expectedUid: uid }),
      produce: (live) => {
        if (live === undefined && uid !== '') {
          const fault = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
          throw makeConflictError(target.group, target.kind.plural, name, fault);
        }
        // Later steps change what they are given; only a repetition needs a second copy, and those are rare.
        const next = isFirst && !mayRepeat(object) ? object : deepClone(object);
        isFirst = false;
        recordManagers(
          services,
          {
            target,
            subresource: request.subresource,
            live,
            next,
            requested: request.requestedManagedFields,
            write: request.write,
          },
          context,
        );
        return next;
      },
    },
    context,
  );
}

/** Whether the update is repeated when another write came in between: with a resourceVersion that is a conflict instead. */
function mayRepeat(object: AnyObject): boolean {
  return (object.metadata.resourceVersion ?? '') === '';
}
