import { getOwn, isJsonObject, setOwn } from '../core/meta/json.ts';
import type { JsonObject, JsonValue } from '../core/meta/json.ts';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';

const META_TYPES = 'io.k8s.apimachinery.';

function showName(field: string): string {
  const name = field.charAt(0).toUpperCase() + field.slice(1);
  return name.replace(/^Api(?=[A-Z])/, 'API');
}

function showAbsent(schema: StructuralSchema): JsonValue {
  if (schema.zero === 'keep' || schema.type === 'array' || schema.values !== undefined) return null;
  switch (schema.type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'object':
      return showGoStruct({}, schema);
    default:
      return null;
  }
}

/**
 * A value as errors of Kubernetes quote it when it is a struct: Go's field names in the order of the schema, and every
 * field present, the keys of maps sorted. Types of the meta group keep the names and the absences of their JSON form.
 */
export function showGoStruct(value: JsonValue | undefined, schema: StructuralSchema): JsonValue {
  if (value === undefined || value === null) return showAbsent(schema);
  if (Array.isArray(value)) {
    const { items } = schema;
    // Decoding leaves an empty list where there was none, and Go shows none as null.
    if (value.length === 0) return null;
    return items === undefined ? value : value.map((item) => showGoStruct(item, items));
  }
  if (!isJsonObject(value)) return value;
  const { properties, values } = schema;
  const shown: JsonObject = {};
  if (values !== undefined) {
    for (const key of Object.keys(value).sort()) setOwn(shown, key, showGoStruct(getOwn(value, key), values));
    return shown;
  }
  if (properties === undefined) return value;
  const isTagged = schema.definition?.startsWith(META_TYPES) === true;
  for (const [field, property] of Object.entries(properties)) {
    const member = getOwn(value, field);
    if (!isTagged) shown[showName(field)] = showGoStruct(member, property);
    else if (member !== undefined) shown[field] = showGoStruct(member, property);
  }
  return shown;
}
