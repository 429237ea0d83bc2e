import type { SchemaFormat, StructuralSchema } from '../../schema/structural-schema.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  type CelType,
} from './cel-type.ts';
import type { DeclaredShape } from './declared-shape.ts';

const empty: DeclaredShape = { kind: 'object', fields: new Map() };

/** The shape of a structural schema; a type within itself is an object without fields. */
export function shapeOfSchema(schema: StructuralSchema): DeclaredShape | undefined {
  return shapeOf(schema, new Set());
}

function shapeOf(schema: StructuralSchema, within: Set<string>): DeclaredShape | undefined {
  const { definition } = schema;
  if (definition === undefined) return describe(schema, within);
  if (within.has(definition)) return empty;
  within.add(definition);
  const shape = describe(schema, within);
  within.delete(definition);
  return shape;
}

function describe(schema: StructuralSchema, within: Set<string>): DeclaredShape | undefined {
  if (schema.format === 'int-or-string') return scalar(dynType);
  switch (schema.type) {
    case 'array': {
      const items = schema.items && shapeOf(schema.items, within);
      return items && { kind: 'list', items };
    }
    case 'object': {
      if (schema.values === undefined) return describeObject(schema, within);
      const values = shapeOf(schema.values, within);
      return values && { kind: 'map', values };
    }
    case 'string':
      return scalar(typeOfString(schema.format));
    case 'boolean':
      return scalar(boolType);
    case 'number':
      return scalar(doubleType);
    case 'integer':
      return scalar(intType);
    default:
      return undefined;
  }
}

function describeObject(schema: StructuralSchema, within: Set<string>): DeclaredShape {
  const fields = new Map<string, DeclaredShape>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const shape = shapeOf(property, within);
    if (shape !== undefined) fields.set(name, shape);
  }
  return { kind: 'object', fields };
}

function typeOfString(format: SchemaFormat | undefined): CelType {
  if (format === 'byte') return bytesType;
  if (format === 'duration') return durationType;
  return format === 'date-time' || format === 'micro-time' || format === 'date' ? timestampType : stringType;
}

function scalar(type: CelType): DeclaredShape {
  return { kind: 'scalar', type };
}
