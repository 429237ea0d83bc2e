import type { SchemaFormat, StructuralSchema } from '../../../core/schema/structural-schema.ts';
import type { JsonSchemaProps } from '../custom-resource-definition/custom-resource-definition.ts';
import { objectMetaStructure } from './decode/coerce-metadata.ts';
import { itemsOf, valuesOf } from './schema-parts.ts';

const text: StructuralSchema = { type: 'string' };
const resourceFields = { apiVersion: text, kind: text, metadata: objectMetaStructure };
const stringFormats: Readonly<Record<string, SchemaFormat>> = {
  byte: 'byte',
  date: 'date',
  'date-time': 'date-time',
  duration: 'duration',
};
const types: ReadonlySet<string> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);

/** The structure of a custom resource, which every resource's fields belong to whatever its schema says. */
export function toResourceStructure(schema: JsonSchemaProps): StructuralSchema {
  const structure = toStructuralSchema(schema);
  const properties = { ...structure.properties, ...resourceFields };
  return { ...structure, type: 'object', properties };
}

/** The structure of a schema as its own rules see values; what every resource has is there in a resource. */
export function toDeclaredStructure(schema: JsonSchemaProps, isResource: boolean): StructuralSchema {
  return declare(isResource ? toResourceStructure(schema) : toStructuralSchema(schema));
}

function declare(schema: StructuralSchema): StructuralSchema {
  const { properties, values, items, ...own } = schema;
  return {
    ...own,
    isDeclared: true,
    ...(values === undefined ? {} : { values: declare(values) }),
    ...(items === undefined ? {} : { items: declare(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [
              name,
              property === objectMetaStructure ? property : declare(property),
            ]),
          ),
        }),
  };
}

function toStructuralSchema(schema: JsonSchemaProps): StructuralSchema {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { type: 'any', format: 'int-or-string', ...describeCommon(schema) };
  }
  const type = schema.type !== undefined && types.has(schema.type) ? (schema.type as StructuralSchema['type']) : 'any';
  switch (type) {
    case 'object':
      return { type, ...describeCommon(schema), ...describeMembers(schema) };
    case 'array': {
      const items = itemsOf(schema);
      return {
        type,
        ...describeCommon(schema),
        ...describeList(schema),
        ...(items === undefined ? {} : { items: toStructuralSchema(items) }),
      };
    }
    case 'string': {
      const format = schema.format === undefined ? undefined : (stringFormats[schema.format] ?? 'text');
      return { type, ...(format === undefined ? {} : { format }), ...describeCommon(schema) };
    }
    default:
      return { type, ...describeCommon(schema) };
  }
}

function describeCommon(schema: JsonSchemaProps): Partial<StructuralSchema> {
  return {
    ...(schema.default === undefined || schema.default === null ? {} : { default: schema.default }),
    ...(schema.description === undefined ? {} : { description: schema.description }),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === true ? { preserveUnknown: true } : {}),
  };
}

function describeList(schema: JsonSchemaProps): Partial<StructuralSchema> {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  return {
    ...(listType === 'atomic' || listType === 'set' || listType === 'map' ? { listType } : {}),
    ...(keys === undefined ? {} : { listMapKeys: keys }),
  };
}

function describeMembers(schema: JsonSchemaProps): Partial<StructuralSchema> {
  const mapType = schema['x-kubernetes-map-type'];
  const values = valuesOf(schema);
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const isDeclared = schema.properties !== undefined || isResource;
  const properties = isDeclared
    ? {
        ...Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, property]) => [name, toStructuralSchema(property)]),
        ),
        ...(isResource ? resourceFields : {}),
      }
    : undefined;
  return {
    ...(mapType === 'atomic' || mapType === 'granular' ? { mapType } : {}),
    ...(schema.required === undefined ? {} : { required: schema.required }),
    ...(properties === undefined ? {} : { properties }),
    ...(values === undefined ? {} : { values: toStructuralSchema(values) }),
  };
}
