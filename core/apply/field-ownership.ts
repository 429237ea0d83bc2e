import type { JsonObject } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { compareTyped, excludeFields, type Comparison } from './compare-typed.ts';
import {
  emptyFieldSet,
  intersectFieldSets,
  isEmptyFieldSet,
  makeFieldSet,
  subtractFieldSet,
  subtractFieldSetDeep,
  uniteFieldSets,
  type FieldSet,
} from './field-set.ts';
import { identifyManager, type ManagerIdentity, type ManagerRecords } from './managed-fields.ts';
import { reconcileFieldSet } from './reconcile-field-set.ts';

/** What is the same for all writes of one kind through one endpoint. */
export interface OwnershipContext {
  readonly schema: StructuralSchema;
  /** Group and version of the request. */
  readonly apiVersion: string;
  readonly otherApiVersions?: readonly string[] | undefined;
  readonly resetFields: FieldSet | undefined;
}

/** Fields of other managers, by their key, that a write changes. */
export type ConflictSets = ReadonlyMap<string, FieldSet>;

/** Server-set metadata and what names the type: never owned. */
const UNOWNED = makeFieldSet(
  [
    ['apiVersion'],
    ['kind'],
    ['metadata'],
    ...[
      'name',
      'namespace',
      'creationTimestamp',
      'selfLink',
      'uid',
      'clusterName',
      'generation',
      'managedFields',
      'resourceVersion',
    ].map((name) => ['metadata', name]),
  ].map((path) => path.map((name) => `f:${name}`)),
);

/** `fields` without what no manager ever owns. */
export function dropUnownedFields(fields: FieldSet): FieldSet {
  return subtractFieldSet(fields, UNOWNED);
}

/** The records with their sets as the schema has them now; those of versions that are not served are left out. */
export function reconcileRecords(records: ManagerRecords, context: OwnershipContext): ManagerRecords {
  const reconciled: ManagerRecords = new Map();
  for (const [key, record] of records) {
    const isServed = record.apiVersion === context.apiVersion || context.otherApiVersions?.includes(record.apiVersion);
    if (!isServed) continue;
    const fields = reconcileFieldSet(record.fields, context.schema);
    reconciled.set(key, fields === record.fields ? record : { ...record, fields });
  }
  return reconciled;
}

/** Compares two objects as ownership sees it: fields that this way of writing resets never changed. */
export function compareForOwnership(before: JsonObject, after: JsonObject, context: OwnershipContext): Comparison {
  return excludeFields(compareTyped(before, after, context.schema), context.resetFields);
}

/** The fields of each manager but `writer` that a write changed or added. */
export function findConflicts(records: ManagerRecords, writer: string, comparison: Comparison): ConflictSets {
  const conflicts = new Map<string, FieldSet>();
  const changed = uniteFieldSets(comparison.modified, comparison.added);
  if (isEmptyFieldSet(changed)) return conflicts;
  for (const [key, record] of records) {
    if (key === writer) continue;
    const conflict = intersectFieldSets(record.fields, changed);
    if (!isEmptyFieldSet(conflict)) conflicts.set(key, conflict);
  }
  return conflicts;
}

/** Takes from every manager but `writer` what a write changed or removed; managers left without fields go. */
export function takeFields(
  records: ManagerRecords,
  writer: string,
  conflicts: ConflictSets,
  comparison: Comparison,
): ManagerRecords {
  const left: ManagerRecords = new Map();
  const isRemoving = !isEmptyFieldSet(comparison.removed);
  for (const [key, record] of records) {
    let { fields } = record;
    if (key !== writer) {
      const conflict = conflicts.get(key);
      if (conflict !== undefined) fields = subtractFieldSet(fields, conflict);
      if (isRemoving && !isEmptyFieldSet(intersectFieldSets(fields, comparison.removed))) {
        fields = subtractFieldSet(fields, comparison.removed);
      }
    }
    if (!isEmptyFieldSet(fields)) left.set(key, fields === record.fields ? record : { ...record, fields });
  }
  return left;
}

/**
 * Records a write that is not an apply: what it changed or added becomes the writer's, beside what it owned before. A write
 * without effect leaves the writer's record and its time alone. `undefined` when the objects cannot be compared: nobody owns anything.
 */
export function recordUpdate(
  records: ManagerRecords,
  before: JsonObject,
  after: JsonObject,
  writer: ManagerIdentity,
  time: string,
  context: OwnershipContext,
): ManagerRecords | undefined {
  const reconciled = reconcileRecords(records, context);
  const comparison = compareForOwnership(before, after, context);
  if (comparison.hasUnkeyedItems) return undefined;
  // The writer's own older record yields like any other, and is united with the new one below.
  const left = takeFields(reconciled, '', findConflicts(reconciled, '', comparison), comparison);
  const changed = uniteFieldSets(comparison.modified, comparison.added);
  const kept = context.resetFields === undefined ? changed : subtractFieldSetDeep(changed, context.resetFields);
  const owned = dropUnownedFields(kept);
  if (isEmptyFieldSet(owned)) return left;
  const key = identifyManager(writer);
  const previous = left.get(key)?.fields ?? emptyFieldSet;
  left.set(key, { ...writer, fields: uniteFieldSets(owned, previous), time });
  return left;
}
