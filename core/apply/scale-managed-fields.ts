import type { ManagedFieldsEntry } from '../meta/kube-object.ts';
import { hasPath, isEmptyFieldSet, makeFieldSet, subtractFieldSet } from './field-set.ts';
import { decodeManagedFields, encodeManagedFields, type ManagerRecord, type ManagerRecords } from './managed-fields.ts';
import { makeFieldElement } from './path-element.ts';

/** Path of the replicas field in the object, by group and version of the kind: `{ 'apps/v1': ['spec', 'replicas'] }`; empty: that version has none. */
export type ReplicasPaths = Readonly<Record<string, readonly string[]>>;

const SCALE_API_VERSION = 'autoscaling/v1';
const REPLICAS_OF_SCALE = ['spec', 'replicas'].map(makeFieldElement);

/** What a Scale shows of the object's managedFields: the entries that own replicas, as entries of `autoscaling/v1`. */
export function toScaleManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const shown: ManagerRecords = new Map();
  for (const [key, record] of decode(entries)) {
    const path = findReplicasPath(record, paths);
    if (path === undefined || path.length === 0 || !hasPath(record.fields, path)) continue;
    shown.set(key, { ...record, apiVersion: SCALE_API_VERSION, fields: makeFieldSet([REPLICAS_OF_SCALE]) });
  }
  return encodeManagedFields(shown);
}

/**
 * The object's managedFields after a write of its Scale. `scaleEntries` are those that the write left on the Scale: whoever
 * owns replicas there owns it in the object, under `apiVersion`; everybody else loses it.
 */
export function fromScaleManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  scaleEntries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
  apiVersion: string,
): ManagedFieldsEntry[] | undefined {
  const stored = decode(entries);
  const scale = decode(scaleEntries);
  const left: ManagerRecords = new Map();
  for (const [key, record] of stored) {
    const path = findReplicasPath(record, paths);
    if (path === undefined) continue;
    // An update's key bears the version, so it is never found on the Scale: it loses replicas here and gets it back below,
    // in an entry of its own without a time. Kubernetes does the same.
    if (path.length === 0 || !hasPath(record.fields, path) || scale.delete(key)) {
      left.set(key, record);
      continue;
    }
    const fields = subtractFieldSet(record.fields, makeFieldSet([path]));
    if (!isEmptyFieldSet(fields)) left.set(key, { ...record, fields });
  }
  const target = paths[apiVersion]?.map(makeFieldElement);
  for (const [key, record] of scale) {
    if (target === undefined || !hasPath(record.fields, REPLICAS_OF_SCALE)) continue;
    left.set(key, { ...record, apiVersion, fields: makeFieldSet([target]), time: stored.get(key)?.time });
  }
  return encodeManagedFields(left);
}

function findReplicasPath(record: ManagerRecord, paths: ReplicasPaths): string[] | undefined {
  return Object.hasOwn(paths, record.apiVersion) ? paths[record.apiVersion]?.map(makeFieldElement) : undefined;
}

function decode(entries: readonly ManagedFieldsEntry[] | undefined): ManagerRecords {
  const records = decodeManagedFields(entries);
  return records instanceof Map ? records : new Map();
}
