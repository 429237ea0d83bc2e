import { deepClone } from '../meta/deep.ts';
import { isJsonObject, setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';
import { discardNulls } from './clean-patch-value.ts';

/**
 * Applies a JSON merge patch (RFC 7386) as Kubernetes' library does: null deletes, objects merge, anything else replaces.
 * Beyond the RFC, nulls inside the objects of an added list are dropped too. Inputs are not changed.
 */
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue {
  const incoming = deepClone(patch);
  if (!isJsonObject(document) || !isJsonObject(incoming)) {
    discardNulls(incoming);
    return incoming;
  }
  const result = deepClone(document);
  const pending: [JsonObject, JsonObject][] = [[result, incoming]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [target, source] = next;
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
        setOwn(target, key, value);
      }
    }
  }
  return result;
}
