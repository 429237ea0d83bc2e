import type { JsonObject } from '../meta/json.ts';
import type { KubeObject, ManagedFieldsEntry } from '../meta/kube-object.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { capUpdateManagers } from './cap-update-managers.ts';
import { recordUpdate } from './field-ownership.ts';
import { getZeroObject } from './make-zero-object.ts';
import { decodeManagedFields, encodeManagedFields, formatEntryTime, type ManagerRecords } from './managed-fields.ts';
import { compileResetFields, type ResetFields } from './reset-fields.ts';

/** What every write other than server-side apply tells about itself; nothing in it is changed. */
export interface ManagedFieldsUpdate {
  /** The stored object, its managedFields included; `undefined` when the write creates it. */
  readonly live: KubeObject | undefined;
  /** The object to store, decoded and defaulted, before the strategy prepares it; its managedFields are what the client sent. */
  readonly next: KubeObject;
  /** managedFields as the body had them, where decoding drops an empty list: `[]` and `[{}]` reset the record. Absent: those of `next`. */
  readonly requestedManagedFields?: readonly ManagedFieldsEntry[];
  /** Who writes (see `chooseFieldManager`); empty is recorded as `unknown`. */
  readonly manager: string;
  /** Group and version of the request, such as `apps/v1`. */
  readonly apiVersion: string;
  /** `status`, `scale` …; absent for the object itself. */
  readonly subresource?: string;
  readonly nowMillis: number;
  readonly schema: StructuralSchema;
  /** Fields that this way of writing never changes: `[['status']]` on the object, `[['spec']]` on `/status`. Keep the array: it is a cache key. */
  readonly resetFields?: ResetFields;
  /** Further group-versions in which the kind is served with the same shape; entries of any other version are dropped. */
  readonly otherApiVersions?: readonly string[];
}

/**
 * The managedFields to store with `next`, as Kubernetes' field manager keeps them for create, update and patch.
 * `undefined` when there are none, or the objects cannot be compared. Never throws for what a client sent: an unreadable record counts as empty.
 */
export function updateManagedFields(input: ManagedFieldsUpdate): ManagedFieldsEntry[] | undefined {
  const { live, next } = input;
  const records = chooseRecords(input);
  // An object that was never tracked is tracked from its first apply on.
  if (records.size === 0 && live !== undefined) return undefined;
  const before = live === undefined ? getZeroObject(input.schema) : omitManagedFields(live);
  const updated = recordUpdate(
    records,
    before,
    omitManagedFields(next),
    {
      manager: input.manager === '' ? 'unknown' : input.manager,
      operation: 'Update',
      apiVersion: input.apiVersion,
      subresource: input.subresource ?? '',
    },
    formatEntryTime(input.nowMillis),
    {
      schema: input.schema,
      apiVersion: input.apiVersion,
      otherApiVersions: input.otherApiVersions,
      resetFields: compileResetFields(input.resetFields),
    },
  );
  return updated === undefined ? undefined : encodeManagedFields(capUpdateManagers(updated));
}

/**
 * The record that the write starts from. A client may edit or reset it on the object itself, not through a subresource; one
 * that sends none, or one that cannot be read, does not lose the stored record.
 */
function chooseRecords(input: ManagedFieldsUpdate): ManagerRecords {
  const requested = input.requestedManagedFields ?? input.next.metadata.managedFields;
  if (!input.subresource && requested !== undefined && requested !== null) {
    if (isReset(requested)) return new Map();
    const records = decodeManagedFields(requested, 'sent');
    if (records instanceof Map && records.size > 0) return records;
  }
  const stored = decodeManagedFields(input.live?.metadata.managedFields);
  return stored instanceof Map ? stored : new Map();
}

function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const only = entries[0];
  if (only === undefined) return true;
  return (
    entries.length === 1 && Object.values(only).every((value) => value === undefined || value === null || value === '')
  );
}

/** `object` without its managedFields, which own nothing of themselves. */
export function omitManagedFields(object: KubeObject): JsonObject {
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields === undefined) return object as unknown as JsonObject;
  return { ...object, metadata } as unknown as JsonObject;
}
