import { deepEqual } from '../meta/deep.ts';
import { getOwn, isJsonObject, setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';

/** The JSON merge patch (RFC 7386) that makes `after` of `before`; empty when they are equal. Nulls inside `after` cannot be kept. */
export function makeMergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(before)) {
    if (getOwn(after, key) === undefined) setOwn(patch, key, null);
  }
  for (const [key, value] of Object.entries<JsonValue | undefined>(after)) {
    const old = getOwn(before, key);
    if (value === undefined || (old !== undefined && deepEqual(old, value))) continue;
    setOwn(patch, key, isJsonObject(old) && isJsonObject(value) ? makeMergePatch(old, value) : value);
  }
  return patch;
}
