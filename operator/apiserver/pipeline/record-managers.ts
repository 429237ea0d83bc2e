import { chooseFieldManager } from '../../../core/apply/choose-field-manager.ts';
import { updateManagedFields } from '../../../core/apply/update-managed-fields.ts';
import { isJsonObject, type JsonObject } from '../../../core/meta/json.ts';
import type { ManagedFieldsEntry } from '../../../core/meta/kube-object.ts';
import type { PipelineServices } from './pipeline-services.ts';
import type { WriteParameters } from './query-parameters.ts';
import type { RequestContext } from './request-context.ts';
import type { ResourceTarget } from './resource-target.ts';
import type { AnyObject } from './stored-encoding.ts';
import { listOtherApiVersions } from './stored-version.ts';
import { findResetFields } from './write-steps.ts';

/** The record of managers as a body had it, where decoding drops an empty list; `undefined` when it had none. */
export function readRequestedManagers(
  target: ResourceTarget,
  raw: JsonObject | undefined,
): readonly ManagedFieldsEntry[] | undefined {
  const metadata = raw?.['metadata'];
  if (!isJsonObject(metadata) || !Array.isArray(metadata['managedFields'])) return undefined;
  // Null is an entry that says nothing.
  const sent = metadata['managedFields'] as unknown as (ManagedFieldsEntry | null)[];
  const entries = sent.map((entry) => entry ?? {});
  if (!target.isAlias) return entries;
  return entries.map((entry) =>
    entry.apiVersion === target.apiVersion ? { ...entry, apiVersion: target.kind.apiVersion } : entry,
  );
}

/** Records in `next`, in place, who set what by a write other than server-side apply. */
export function recordManagers(
  services: PipelineServices,
  write: {
    readonly target: ResourceTarget;
    readonly subresource: string | undefined;
    readonly live: AnyObject | undefined;
    readonly next: AnyObject;
    readonly requested: readonly ManagedFieldsEntry[] | undefined;
    readonly write: WriteParameters;
  },
  context: RequestContext,
): void {
  const { target, next, subresource } = write;
  const resets = findResetFields(target, subresource);
  const managedFields = updateManagedFields({
    live: write.live,
    next,
    ...(write.requested === undefined ? {} : { requestedManagedFields: write.requested }),
    manager: chooseFieldManager(write.write.fieldManager, context.userAgent),
    apiVersion: target.kind.apiVersion,
    otherApiVersions: listOtherApiVersions(target.kind),
    ...(subresource === undefined ? {} : { subresource }),
    nowMillis: services.now(),
    schema: target.kind.schema,
    ...(resets === undefined ? {} : { resetFields: resets }),
  });
  if (managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = managedFields;
}
