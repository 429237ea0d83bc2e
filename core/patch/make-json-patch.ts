import { deepEqual } from '../meta/deep.ts';
import { isJsonObject, type JsonValue } from '../meta/json.ts';

/** One operation of a JSON Patch (RFC 6902), of the three that a difference needs. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The operations that turn `before` into `after`, none when they are equal; values are shared with `after`. */
export function makeJsonPatch(before: JsonValue, after: JsonValue): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  collect(before, after, '', operations);
  return operations;
}

function collect(before: JsonValue, after: JsonValue, path: string, operations: JsonPatchOperation[]): void {
  if (isJsonObject(before) && isJsonObject(after)) {
    collectMembers(before, after, path, operations);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    collectItems(before, after, path, operations);
  } else if (!deepEqual(before, after)) {
    operations.push({ op: 'replace', path, value: after });
  }
}

function collectMembers(
  before: Readonly<Record<string, JsonValue | undefined>>,
  after: Readonly<Record<string, JsonValue | undefined>>,
  path: string,
  operations: JsonPatchOperation[],
): void {
  const has = (object: object, key: string): boolean => Object.hasOwn(object, key);
  for (const key of Object.keys(before)) {
    if (before[key] === undefined) continue;
    const at = `${path}/${escapeKey(key)}`;
    const value = has(after, key) ? after[key] : undefined;
    if (value === undefined) operations.push({ op: 'remove', path: at });
    else collect(before[key], value, at, operations);
  }
  for (const key of Object.keys(after)) {
    const value = after[key];
    if (value === undefined || (has(before, key) && before[key] !== undefined)) continue;
    operations.push({ op: 'add', path: `${path}/${escapeKey(key)}`, value });
  }
}

function collectItems(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  path: string,
  operations: JsonPatchOperation[],
): void {
  const shared = Math.min(before.length, after.length);
  for (let i = 0; i < shared; i++) collect(before[i] ?? null, after[i] ?? null, `${path}/${i}`, operations);
  // From the end, so that the places of those that stay hold.
  for (let i = before.length - 1; i >= shared; i--) operations.push({ op: 'remove', path: `${path}/${i}` });
  for (const value of after.slice(shared)) operations.push({ op: 'add', path: `${path}/-`, value });
}
