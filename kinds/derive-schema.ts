import type { z } from 'zod';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';
import { schemaNotes } from './schema-vocabulary.ts';
import type { SchemaNotes } from './schema-vocabulary.ts';

type Shape = Omit<StructuralSchema, keyof SchemaNotes> & Pick<StructuralSchema, 'required' | 'format'>;

/** The parts of zod's schemas that this reads. */
interface ZodDefinition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
}

function readDefinition(schema: z.core.$ZodType): ZodDefinition {
  return schema._zod.def;
}

function collectNotes(schema: z.core.$ZodType): SchemaNotes {
  const inner = readDefinition(schema).innerType;
  return { ...(inner === undefined ? {} : collectNotes(inner)), ...schemaNotes.get(schema as z.ZodType) };
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = readDefinition(schema).innerType;
  return inner === undefined ? schema : unwrap(inner);
}

function deriveObject(shape: Readonly<Record<string, z.core.$ZodType>>): Shape {
  const names = Object.keys(shape);
  const properties = Object.fromEntries(names.map((name) => [name, deriveSchema(shape[name] as z.core.$ZodType)]));
  const required = names.filter((name) => collectNotes(shape[name] as z.core.$ZodType).requiredField === true);
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function deriveShape(schema: z.core.$ZodType, notes: SchemaNotes): Shape {
  const definition = readDefinition(schema);
  switch (definition.type) {
    case 'object':
      return deriveObject(definition.shape ?? {});
    case 'record':
      if (notes.preserveUnknown === true) return { type: 'object' };
      return { type: 'object', values: deriveSchema(definition.valueType as z.core.$ZodType) };
    case 'array':
      return { type: 'array', items: deriveSchema(definition.element as z.core.$ZodType) };
    case 'number':
      return { type: notes.format === 'double' ? 'number' : 'integer' };
    case 'string':
      return { type: 'string' };
    case 'boolean':
      return { type: 'boolean' };
    case 'union':
    case 'unknown':
      return { type: 'any' };
    default:
      throw new Error(`the schema vocabulary has no ${definition.type}`);
  }
}

/**
 * The structural schema of a zod schema made with the schema vocabulary: its types, and the notes of each of its parts.
 * Throws on a zod type outside the vocabulary.
 */
export function deriveSchema(schema: z.core.$ZodType): StructuralSchema {
  const { requiredField: _requiredField, ...notes } = collectNotes(schema);
  return { ...deriveShape(unwrap(schema), notes), ...notes };
}
