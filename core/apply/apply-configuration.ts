import type { StatusCause } from '../errors/status.ts';
import { deepEqual } from '../meta/deep.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import type { KubeObject, ManagedFieldsEntry } from '../meta/kube-object.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { capUpdateManagers } from './cap-update-managers.ts';
import {
  compareForOwnership,
  dropUnownedFields,
  findConflicts,
  reconcileRecords,
  recordUpdate,
  takeFields,
  type ConflictSets,
  type OwnershipContext,
} from './field-ownership.ts';
import { isEmptyFieldSet, subtractFieldSetDeep } from './field-set.ts';
import { describeConflicts, type ApplyConflict } from './describe-conflicts.ts';
import { findLastAppliedFields, setLastApplied, withoutPaths } from './last-applied.ts';
import { getZeroObject } from './make-zero-object.ts';
import {
  decodeManagedFields,
  encodeManagedFields,
  formatEntryTime,
  identifyManager,
  type ManagerIdentity,
  type ManagerRecords,
} from './managed-fields.ts';
import { mergeTyped } from './merge-typed.ts';
import { pruneApplied } from './prune-applied.ts';
import { compileResetFields, type ResetFields } from './reset-fields.ts';
import { toFieldSet } from './to-field-set.ts';
import { omitManagedFields } from './update-managed-fields.ts';
import { validateTyped } from './validate-typed.ts';

/** Only kubectl's own name brings the annotation of client-side apply along; any other manager opts out of it. */
const KUBECTL = 'kubectl';
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** A server-side apply; nothing in it is changed. */
export interface ApplyInput {
  /** The stored object, its managedFields included; `undefined` when the apply creates it. */
  readonly live: KubeObject | undefined;
  /** The configuration as the client sent it: parsed, but neither decoded by the schema nor defaulted. */
  readonly applied: JsonObject;
  /** Query parameter `fieldManager`. */
  readonly manager: string;
  /** Takes over fields that others own. */
  readonly force: boolean;
  /** Group and version of the request, such as `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** `status`, `scale` …; absent for the object itself. */
  readonly subresource?: string;
  readonly nowMillis: number;
  readonly schema: StructuralSchema;
  /** As in `ManagedFieldsUpdate`. */
  readonly resetFields?: ResetFields;
  /** As in `ManagedFieldsUpdate`. */
  readonly otherApiVersions?: readonly string[];
}

export type ApplyResult =
  | {
      readonly outcome: 'applied';
      /** The merged object, managedFields in place. Decode it by the schema and default it before it goes on: it may hold nulls. */
      readonly object: JsonObject;
      readonly managedFields: ManagedFieldsEntry[] | undefined;
      /** Whether the merge changed anything but the record of managers. */
      readonly changed: boolean;
    }
  | {
      /** Answer 409 with reason Conflict, this message and these causes. */
      readonly outcome: 'conflict';
      readonly conflicts: readonly ApplyConflict[];
      readonly message: string;
      readonly causes: readonly StatusCause[];
    }
  | {
      /** Answer 400 (reason BadRequest), or 500 without a reason or details, as Kubernetes does for what its typed merge rejects. */
      readonly outcome: 'rejected';
      readonly code: 400 | 500;
      readonly message: string;
    };

/**
 * Merges an applied configuration into the live object: fields that it no longer mentions and that nobody else owns go, its
 * own fields win or conflict, and the manager owns from now on exactly what it mentions.
 */
export function applyConfiguration(input: ApplyInput): ApplyResult {
  const stored = decodeManagedFields(input.live?.metadata.managedFields);
  if (!(stored instanceof Map)) return reject(500, `failed to decode managed fields: ${stored.fault}`);
  const rejection = checkApplied(input);
  if (rejection !== undefined) return rejection;
  const context: OwnershipContext = {
    schema: input.schema,
    apiVersion: input.apiVersion,
    otherApiVersions: input.otherApiVersions,
    resetFields: compileResetFields(input.resetFields),
  };
  const records = startTracking(input, stored, context);
  let attempt = attemptApply(input, records, context, input.force);
  if ('conflicts' in attempt && input.manager === KUBECTL && input.live !== undefined) {
    // What client-side apply set and nobody changed since is kubectl's own: it is no conflict.
    const own = findLastAppliedFields(input.live, input.apiVersion, input.schema);
    const conflicts = own === undefined ? attempt.conflicts : withoutPaths(attempt.conflicts, own);
    attempt = conflicts.size === 0 ? attemptApply(input, records, context, true) : { ...attempt, conflicts };
  }
  if ('conflicts' in attempt) return { outcome: 'conflict', ...describeConflicts(attempt.conflicts, attempt.records) };
  const object = input.manager === KUBECTL ? setLastApplied(attempt.object, input.applied) : attempt.object;
  const managedFields = encodeManagedFields(attempt.records);
  return {
    outcome: 'applied',
    object: placeManagedFields(object, managedFields),
    managedFields,
    changed: attempt.changed,
  };
}

interface Merge {
  readonly object: JsonObject;
  readonly records: ManagerRecords;
  readonly changed: boolean;
}

interface Clash {
  readonly conflicts: ConflictSets;
  readonly records: ManagerRecords;
}

function attemptApply(
  input: ApplyInput,
  stored: ManagerRecords,
  context: OwnershipContext,
  force: boolean,
): Merge | Clash {
  const live = (input.live ?? {}) as unknown as JsonObject;
  const identity: ManagerIdentity = {
    manager: input.manager === '' ? 'unknown' : input.manager,
    operation: 'Apply',
    apiVersion: input.apiVersion,
    subresource: input.subresource ?? '',
  };
  const key = identifyManager(identity);
  const records = reconcileRecords(stored, context);
  const last = records.get(key);
  const mentioned = toFieldSet(input.applied, input.schema);
  const owned = context.resetFields === undefined ? mentioned : subtractFieldSetDeep(mentioned, context.resetFields);
  records.set(key, { ...identity, fields: owned, time: last?.time });

  const merged = mergeTyped(live, input.applied, input.schema) ?? {};
  const pruned = pruneApplied(merged, records, owned, last?.fields, input.schema);
  const result = isJsonObject(pruned) ? pruned : {};
  const comparison = compareForOwnership(live, result, context);
  const conflicts = findConflicts(records, key, comparison);
  if (!force && conflicts.size > 0) return { conflicts, records };

  const left = takeFields(records, key, conflicts, comparison);
  const changed = !deepEqual(live, result);
  const fields = dropUnownedFields(owned);
  // Without an effect the time stays what it was, even where the set of fields changed.
  const time = changed ? formatEntryTime(input.nowMillis) : last?.time;
  if (isEmptyFieldSet(fields)) left.delete(key);
  else left.set(key, { ...identity, fields, time, ...(last?.source ? { source: last.source } : {}) });
  return { object: changed ? result : live, records: left, changed };
}

/** An object that was stored without a record belongs to a manager of its own from its first apply on. */
function startTracking(input: ApplyInput, stored: ManagerRecords, context: OwnershipContext): ManagerRecords {
  if (stored.size > 0 || input.live === undefined) return stored;
  const writer: ManagerIdentity = {
    manager: BEFORE_FIRST_APPLY,
    operation: 'Update',
    apiVersion: input.apiVersion,
    subresource: input.subresource ?? '',
  };
  const time = formatEntryTime(input.nowMillis);
  const live = omitManagedFields(input.live);
  const tracked = recordUpdate(stored, getZeroObject(input.schema), live, writer, time, context);
  return tracked === undefined ? stored : capUpdateManagers(tracked);
}

function checkApplied(input: ApplyInput): ApplyResult | undefined {
  const { applied } = input;
  const apiVersion = readText(applied, 'apiVersion');
  const kind = readText(applied, 'kind');
  const version = formatGroupVersion(apiVersion);
  if (apiVersion !== input.apiVersion || kind !== input.kind) {
    return reject(400, `invalid object type: ${version}, Kind=${kind}`);
  }
  const metadata = readMap(applied, 'metadata');
  if (Array.isArray(getOwn(metadata, 'managedFields'))) return reject(400, 'metadata.managedFields must be nil');
  const fault = validateTyped(applied, input.schema);
  if (fault === undefined) return undefined;
  const name = `${readText(metadata, 'namespace')}/${readText(metadata, 'name')}`;
  return reject(500, `failed to create typed patch object (${name}; ${version}, Kind=${kind}): ${fault}`);
}

function placeManagedFields(object: JsonObject, managedFields: ManagedFieldsEntry[] | undefined): JsonObject {
  const { managedFields: replaced, ...metadata } = readMap(object, 'metadata');
  if (managedFields === undefined) return replaced === undefined ? object : { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: managedFields as unknown as JsonValue } };
}

/** `group/version`, the group of the core kinds being empty. */
function formatGroupVersion(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
}

function readText(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}

function readMap(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isJsonObject(value) ? value : {};
}

function reject(code: 400 | 500, message: string): ApplyResult {
  return { outcome: 'rejected', code, message };
}
