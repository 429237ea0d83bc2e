import { deepClone } from '../meta/deep.ts';
import { isJsonObject, setOwn, type JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Whether a default is anywhere in a schema; values of schemas without one need not be walked, which for large ones takes long. */
const knownToDefault = new WeakMap<StructuralSchema, boolean>();

function hasDefaults(schema: StructuralSchema): boolean {
  const known = knownToDefault.get(schema);
  if (known !== undefined) return known;
  const seen = new Set<StructuralSchema>([schema]);
  let found = false;
  for (const { properties = {}, values, items } of seen) {
    for (const field of Object.values(properties)) {
      found ||= field.default !== undefined;
      seen.add(field);
    }
    if (values !== undefined) seen.add(values);
    if (items !== undefined) seen.add(items);
    if (found) break;
  }
  knownToDefault.set(schema, found);
  return found;
}

/** Fills the schema's defaults into absent fields of `value`, in place; a filled default gets the defaults inside it. Null counts as present. */
export function applySchemaDefaults(value: JsonValue | undefined, schema: StructuralSchema): void {
  const pending: [JsonValue | undefined, StructuralSchema][] = [[value, schema]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [current, guide] = next;
    if (!hasDefaults(guide)) continue;
    if (Array.isArray(current)) {
      if (guide.items === undefined) continue;
      for (const item of current) pending.push([item, guide.items]);
    } else if (isJsonObject(current)) {
      if (guide.properties !== undefined) {
        for (const key of Object.keys(guide.properties)) {
          const field = guide.properties[key];
          if (field === undefined) continue;
          const absent = !Object.hasOwn(current, key) || current[key] === undefined;
          if (absent && field.default !== undefined) setOwn(current, key, deepClone(field.default));
          if (Object.hasOwn(current, key)) pending.push([current[key], field]);
        }
      } else if (guide.values !== undefined) {
        for (const key of Object.keys(current)) pending.push([current[key], guide.values]);
      }
    }
  }
}
