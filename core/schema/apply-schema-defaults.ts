import { deepClone } from '../meta/deep.ts';
import { isJsonObject, setOwn, type JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Fills the schema's defaults into absent fields of `value`, in place; a filled default gets the defaults inside it. Null counts as present. */
export function applySchemaDefaults(value: JsonValue | undefined, schema: StructuralSchema): void {
  const pending: [JsonValue | undefined, StructuralSchema][] = [[value, schema]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [current, guide] = next;
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
