import { formatGoJson } from '../errors/quote-go.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { compareTyped } from './compare-typed.ts';
import type { ConflictSets } from './field-ownership.ts';
import { isEmptyFieldSet, subtractFieldSet, type FieldSet } from './field-set.ts';
import { compareBytes } from './path-element.ts';
import { toFieldSet } from './to-field-set.ts';
import { validateTyped } from './validate-typed.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Bytes that all annotations together may have. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/**
 * The fields that client-side apply set by the annotation it keeps and that still have that value; `undefined` when there is
 * no annotation, or one that cannot be read or is of another version.
 */
export function findLastAppliedFields(
  live: KubeObject,
  apiVersion: string,
  schema: StructuralSchema,
): FieldSet | undefined {
  const text = live.metadata.annotations?.[LAST_APPLIED];
  if (!text) return undefined;
  const object = live as unknown as JsonObject;
  if (validateTyped(object, schema) !== undefined) return undefined;
  let applied: unknown;
  try {
    applied = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(applied) || applied['apiVersion'] !== apiVersion) return undefined;
  if (validateTyped(applied, schema) !== undefined) return undefined;
  const { added, modified, removed } = compareTyped(applied, object, schema);
  const fields = toFieldSet(applied, schema);
  return [modified, added, removed].reduce<FieldSet>(subtractFieldSet, fields);
}

/** The conflicts whose path is not in `allowed`. */
export function withoutPaths(conflicts: ConflictSets, allowed: FieldSet): ConflictSets {
  const left = new Map<string, FieldSet>();
  for (const [key, fields] of conflicts) {
    const rest = subtractFieldSet(fields, allowed);
    if (!isEmptyFieldSet(rest)) left.set(key, rest);
  }
  return left;
}

/**
 * `object` with the annotation of client-side apply set to `applied`, if it has that annotation; so kubectl can go back to
 * client-side apply. The annotation goes when it would not fit.
 */
export function setLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const metadata = getOwn(object, 'metadata');
  if (!isJsonObject(metadata)) return object;
  const annotations = getOwn(metadata, 'annotations');
  if (!isJsonObject(annotations) || !getOwn(annotations, LAST_APPLIED)) return object;
  const updated: JsonObject = {
    ...annotations,
    [LAST_APPLIED]: `${formatGoJson(sortKeys(omitAnnotation(applied)))}\n`,
  };
  if (countBytes(updated) > MAX_ANNOTATIONS_BYTES) delete updated[LAST_APPLIED];
  return { ...object, metadata: { ...metadata, annotations: updated } };
}

function omitAnnotation(applied: JsonObject): JsonObject {
  const metadata = getOwn(applied, 'metadata');
  if (!isJsonObject(metadata)) return applied;
  const annotations = getOwn(metadata, 'annotations');
  if (!isJsonObject(annotations)) return applied;
  const { [LAST_APPLIED]: omitted, ...others } = annotations;
  return omitted === undefined ? applied : { ...applied, metadata: { ...metadata, annotations: others } };
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort((a, b) => compareBytes(a[0], b[0]));
  return Object.fromEntries(entries.map(([key, member]) => [key, member === undefined ? undefined : sortKeys(member)]));
}

function countBytes(annotations: JsonObject): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  }
  return bytes;
}
