import { isJsonObject, setOwn, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import { compareBytes } from '../../../core/apply/path-element.ts';

/** The value with the members of all objects in the order in which Go writes maps. */
export function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort(compareBytes)) {
    const member = value[key];
    if (member !== undefined) setOwn(sorted, key, sortKeys(member));
  }
  return sorted;
}
