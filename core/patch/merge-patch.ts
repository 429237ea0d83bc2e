import { deepClone } from '../meta/deep.ts';
import { isJsonObject, setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';
import { discardNulls } from './clean-patch-value.ts';

/**
 * Applies a JSON merge patch (RFC 7386) as Kubernetes' library does: null deletes, objects merge, anything else replaces.
 * Beyond the RFC, nulls inside the objects of an added list are dropped too, and what the patch touches comes sorted. Inputs are not changed.
 */
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue {
  const incoming = deepClone(patch);
  if (!isJsonObject(document) || !isJsonObject(incoming)) {
    discardNulls(incoming);
    return incoming;
  }
  const result = deepClone(document);
  const pending: [JsonObject, JsonObject][] = [[result, incoming]];
  const touched: JsonObject[] = [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [target, source] = next;
    touched.push(target);
    for (const key of Object.keys(source)) {
      const value = source[key];
      const current = Object.hasOwn(target, key) ? target[key] : undefined;
      if (value === null || value === undefined) {
        delete target[key];
      } else if (isJsonObject(current)) {
        if (isJsonObject(value)) pending.push([current, value]);
        else setOwn(target, key, value);
      } else {
        discardNulls(value);
        sortMembers(value);
        setOwn(target, key, value);
      }
    }
  }
  for (const object of touched) sortOwnMembers(object);
  return result;
}

/** Puts the members of an object in the order of their names, in place: the library does so with all that it has read. */
function sortOwnMembers(object: JsonObject): void {
  for (const key of Object.keys(object).toSorted()) {
    const value = object[key];
    delete object[key];
    setOwn(object, key, value);
  }
}

function sortMembers(value: JsonValue): void {
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (isJsonObject(next)) {
      sortOwnMembers(next);
      for (const member of Object.values(next)) if (member !== undefined) pending.push(member);
    }
  }
}
