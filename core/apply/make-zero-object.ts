import type { JsonObject, JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

const zeroObjects = new WeakMap<StructuralSchema, JsonObject>();

/**
 * The object of a kind before anything is set: fields that are always written have their zero value. A create is compared
 * with it, so that a field that stays at that value belongs to nobody. Never change it.
 */
export function getZeroObject(schema: StructuralSchema): JsonObject {
  let zero = zeroObjects.get(schema);
  if (zero === undefined) {
    zero = makeZeroStruct(schema);
    zeroObjects.set(schema, zero);
  }
  return zero;
}

function makeZeroStruct(schema: StructuralSchema): JsonObject {
  const zero: JsonObject = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (field.zero === 'fill') zero[name] = makeZero(field);
  }
  return zero;
}

function makeZero(schema: StructuralSchema): JsonValue {
  switch (schema.type) {
    case 'object':
      return schema.properties === undefined ? null : makeZeroStruct(schema);
    case 'string':
      return schema.format === 'date-time' || schema.format === 'micro-time' || schema.format === 'byte' ? null : '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    default:
      return schema.format === 'int-or-string' ? 0 : null;
  }
}
