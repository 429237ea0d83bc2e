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

/** The structure of a custom resource, which every resource's fields belong to whatever its schema says. Parts are made when asked for. */
export function toResourceStructure(schema: JsonSchemaProps): StructuralSchema {
  const structure = toStructuralSchema(schema);
  const own = { ...omitProperties(structure), type: 'object' as const };
  return withProperties(own, () => ({ ...structure.properties, ...resourceFields }));
}

/** The structure of a schema as its own rules see values; what every resource has is there in a resource. Parts are made when asked for. */
export function toDeclaredStructure(schema: JsonSchemaProps, isResource: boolean): StructuralSchema {
  return declare(isResource ? toResourceStructure(schema) : toStructuralSchema(schema));
}

function declare(schema: StructuralSchema): StructuralSchema {
  const { values, items, ...own } = omitProperties(schema);
  const declared = {
    ...own,
    isDeclared: true,
    ...(values === undefined ? {} : { values: declare(values) }),
    ...(items === undefined ? {} : { items: declare(items) }),
  };
  if (!('properties' in schema)) return declared;
  return withProperties(declared, () =>
    mapMembers(schema.properties ?? {}, (property) =>
      property === objectMetaStructure ? property : declare(property),
    ),
  );
}

/** A structure with fields that are made when they are first asked for: there may be very many. */
function withProperties(
  own: StructuralSchema,
  make: () => NonNullable<StructuralSchema['properties']>,
): StructuralSchema {
  return Object.defineProperty(own, 'properties', {
    enumerable: true,
    configurable: true,
    get() {
      const value = make();
      Object.defineProperty(own, 'properties', { value, enumerable: true });
      return value;
    },
  });
}

/** A copy without fields, which it does not ask for. */
function omitProperties(schema: StructuralSchema): StructuralSchema {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(schema) as (keyof StructuralSchema)[]) {
    if (key !== 'properties') copy[key] = schema[key];
  }
  return copy as unknown as StructuralSchema;
}

function mapMembers<From, To>(members: Readonly<Record<string, From>>, map: (member: From) => To): Record<string, To> {
  const mapped: Record<string, To> = {};
  for (const key of Object.keys(members)) {
    const member = map(members[key] as From);
    // Assigning would set the prototype.
    if (key === '__proto__') Object.defineProperty(mapped, key, { value: member, enumerable: true });
    else mapped[key] = member;
  }
  return mapped;
}

function toStructuralSchema(schema: JsonSchemaProps): StructuralSchema {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { type: 'any', format: 'int-or-string', ...describeCommon(schema) };
  }
  const type = schema.type !== undefined && types.has(schema.type) ? (schema.type as StructuralSchema['type']) : 'any';
  switch (type) {
    case 'object':
      return describeObject(schema);
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
  const { default: value, description } = schema;
  return {
    ...(value === undefined || value === null ? {} : { default: value }),
    ...(description === undefined ? {} : { description }),
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

function describeObject(schema: JsonSchemaProps): StructuralSchema {
  const mapType = schema['x-kubernetes-map-type'];
  const values = valuesOf(schema);
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const own: StructuralSchema = {
    type: 'object',
    ...describeCommon(schema),
    ...(mapType === 'atomic' || mapType === 'granular' ? { mapType } : {}),
    ...(schema.required === undefined ? {} : { required: schema.required }),
    ...(values === undefined ? {} : { values: toStructuralSchema(values) }),
  };
  if (schema.properties === undefined && !isResource) return own;
  return withProperties(own, () => {
    const properties = mapMembers(schema.properties ?? {}, toStructuralSchema);
    return isResource ? Object.assign(properties, resourceFields) : properties;
  });
}
