import type { JsonValue } from '../meta/json.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

const scalarNames: Readonly<Record<string, string>> = {
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  quantity: 'resource.Quantity',
  'int-or-string': 'intstr.IntOrString',
  'date-time': 'v1.Time',
  'micro-time': 'v1.MicroTime',
  byte: '[]uint8',
};

/** Name of the Go type behind a schema, as decoding errors print it: `[]v1.Container`, `map[string]string`, `int32`. */
export function nameGoType(schema: StructuralSchema): string {
  if (schema.goType !== undefined) return schema.goType;
  if (schema.format !== undefined) return scalarNames[schema.format] ?? schema.format;
  switch (schema.type) {
    case 'object':
      if (schema.values !== undefined) return `map[string]${nameGoType(schema.values)}`;
      return schema.definition === undefined ? 'struct' : schema.definition.split('.').slice(-2).join('.');
    case 'array':
      return `[]${schema.items === undefined ? 'interface {}' : nameGoType(schema.items)}`;
    case 'integer':
      return 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'any':
      return 'interface {}';
    default:
      return schema.type;
  }
}

/** Name of the Go struct behind a schema without its package, such as `PodSpec`; empty when unknown. */
export function nameGoStruct(schema: StructuralSchema): string {
  const name = schema.goType ?? schema.definition ?? '';
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Go's word for the JSON type of a value. */
export function describeJsonType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
