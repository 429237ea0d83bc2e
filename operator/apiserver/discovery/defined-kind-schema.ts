import type {
  CustomResourceDefinition,
  DefinedVersion,
  JsonSchemaProps,
} from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import type { OpenApiDialect, OpenApiSchema } from './openapi-components.ts';

/** Makes references to the common schemas of metadata. */
export interface MetaReferences {
  /** A reference to ObjectMeta, with a description beside it. */
  readonly objectMeta: OpenApiSchema;
}

const API_VERSION: OpenApiSchema = {
  description: 'APIVersion defines the group and version of this representation.',
  type: 'string',
};
const KIND: OpenApiSchema = { description: 'Kind of the object.', type: 'string' };
const EMBEDDED_API_VERSION: OpenApiSchema = {
  description: 'Group and version of the object that is embedded here.',
  type: 'string',
};
const EMBEDDED_KIND: OpenApiSchema = { description: 'Kind of the object that is embedded here.', type: 'string' };

const PLAIN_FIELDS = [
  'description',
  'title',
  'format',
  'maximum',
  'minimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'multipleOf',
  'maxProperties',
  'minProperties',
  'enum',
] as const satisfies readonly (keyof JsonSchemaProps)[];
const FLAGS = [
  'exclusiveMaximum',
  'exclusiveMinimum',
  'uniqueItems',
] as const satisfies readonly (keyof JsonSchemaProps)[];
const EXTENSION_FLAGS = [
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
] as const satisfies readonly (keyof JsonSchemaProps)[];
const EXTENSIONS = [
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
] as const satisfies readonly (keyof JsonSchemaProps)[];
const JUNCTORS = ['allOf', 'anyOf', 'oneOf'] as const satisfies readonly (keyof JsonSchemaProps)[];
const INTEGER_OR_STRING: readonly JsonSchemaProps[] = [{ type: 'integer' }, { type: 'string' }];

function isIntegerOrString(schemas: readonly JsonSchemaProps[] | undefined): boolean {
  return schemas?.length === 2 && schemas[0]?.type === 'integer' && schemas[1]?.type === 'string';
}

/** Writes out that a value may be an integer or a string, where the schema leaves that to the extension. */
function unfold(schema: JsonSchemaProps): JsonSchemaProps {
  if (schema['x-kubernetes-int-or-string'] !== true) return schema;
  if (isIntegerOrString(schema.anyOf) || isIntegerOrString(schema.allOf?.[0]?.anyOf)) return schema;
  if (schema.anyOf === undefined) return { ...schema, anyOf: INTEGER_OR_STRING };
  return { ...schema, allOf: [{ anyOf: INTEGER_OR_STRING }, ...(schema.allOf ?? [])] };
}

function getItems({ items }: JsonSchemaProps): JsonSchemaProps | undefined {
  return Array.isArray(items) ? undefined : (items as JsonSchemaProps | undefined);
}

/** What OpenAPI v2, and the clients that read it, cannot take is left out: the schema is wider there. */
function widenForV2(schema: JsonSchemaProps): JsonSchemaProps {
  const { allOf: _all, anyOf: _any, oneOf: _one, not: _not, ...rest } = schema;
  let widened: JsonSchemaProps = rest;
  if (widened.nullable === true) {
    const { type: _type, nullable: _nullable, items: _items, properties: _properties, ...open } = widened;
    widened = open;
  }
  if (widened['x-kubernetes-preserve-unknown-fields'] === true) {
    const { items: _items, properties: _properties, ...open } = widened;
    widened = open;
  }
  const hasNoItems = widened.type === 'array' && widened.items === undefined;
  const isOpen = widened.type === 'object' && widened['x-kubernetes-preserve-unknown-fields'] === true;
  if (hasNoItems || isOpen) {
    const { type: _type, ...untyped } = widened;
    widened = untyped;
  }
  const { additionalProperties, properties, required } = widened;
  if (typeof additionalProperties === 'object' && additionalProperties.nullable === true) {
    const { required: _required, ...free } = widened;
    return free;
  }
  const kept = required?.filter((name) => properties?.[name]?.nullable !== true);
  return kept === undefined ? widened : { ...widened, required: kept };
}

class SchemaWriter {
  readonly #dialect: OpenApiDialect;
  readonly #references: MetaReferences;

  constructor(dialect: OpenApiDialect, references: MetaReferences) {
    this.#dialect = dialect;
    this.#references = references;
  }

  /** A schema where values have structure: embedded objects get their common fields. */
  write(given: JsonSchemaProps): OpenApiSchema {
    const unfolded = unfold(given);
    const schema = this.#dialect === 'v2' ? widenForV2(unfolded) : unfolded;
    const written = this.#writeOwn(schema, (inner) => this.write(inner));
    const isOpen = this.#dialect === 'v2' && schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (schema['x-kubernetes-embedded-resource'] !== true || isOpen) return written;
    written['properties'] = {
      ...(written['properties'] as object | undefined),
      apiVersion: EMBEDDED_API_VERSION,
      kind: EMBEDDED_KIND,
      metadata: this.#references.objectMeta,
    };
    const required = schema.required ?? [];
    written['required'] = [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))];
    return written;
  }

  #writeOwn(schema: JsonSchemaProps, inside: (inner: JsonSchemaProps) => OpenApiSchema): OpenApiSchema {
    const written: OpenApiSchema = {};
    if (schema.type !== undefined && schema.type !== '') written['type'] = schema.type;
    for (const name of PLAIN_FIELDS)
      if (schema[name] !== undefined && schema[name] !== '') written[name] = schema[name];
    for (const name of FLAGS) if (schema[name] === true) written[name] = true;
    if (schema.nullable === true) written['nullable'] = true;
    // Clients that read v2 take a default for what they should send.
    if (schema.default !== undefined && this.#dialect === 'v3') written['default'] = schema.default;
    if (schema.required !== undefined && schema.required.length > 0) written['required'] = schema.required;
    const items = getItems(schema);
    if (items !== undefined) written['items'] = inside(items);
    const { properties, additionalProperties } = schema;
    if (properties !== undefined) {
      const names = Object.keys(properties).toSorted();
      written['properties'] = Object.fromEntries(names.map((name) => [name, inside(properties[name] ?? {})]));
    }
    if (typeof additionalProperties === 'object') written['additionalProperties'] = inside(additionalProperties);
    else if (additionalProperties === true) written['additionalProperties'] = true;
    const nested = (inner: JsonSchemaProps): OpenApiSchema => this.#writeOwn(inner, nested);
    for (const name of JUNCTORS) {
      const parts = schema[name];
      if (parts !== undefined && parts.length > 0) written[name] = parts.map(nested);
    }
    if (schema.not !== undefined) written['not'] = nested(schema.not);
    for (const name of EXTENSION_FLAGS) if (schema[name] === true) written[name] = true;
    for (const name of EXTENSIONS) if (schema[name] !== undefined) written[name] = schema[name];
    const keys = schema['x-kubernetes-list-map-keys'];
    if (keys !== undefined && keys.length > 0) written['x-kubernetes-list-map-keys'] = keys;
    const rules = schema['x-kubernetes-validations'];
    if (rules !== undefined && rules.length > 0) written['x-kubernetes-validations'] = rules;
    return written;
  }
}

/** The name of a defined type in OpenAPI documents: `com.example.stable.v1.CronTab`. */
export function nameDefinedType(group: string, version: string, kind: string): string {
  return [...group.split('.').toReversed(), version, kind].join('.');
}

/** Fields of a version by which its objects can be selected, as OpenAPI names them; empty when there are none. */
export function describeSelectableFields({ selectableFields = [] }: DefinedVersion): OpenApiSchema {
  if (selectableFields.length === 0) return {};
  return {
    'x-kubernetes-selectable-fields': selectableFields.map(({ jsonPath }) => ({
      fieldPath: jsonPath.startsWith('.') ? jsonPath.slice(1) : jsonPath,
    })),
  };
}

/** The OpenAPI schema of the objects of one version of a definition, as Kubernetes publishes it. */
export function describeDefinedSchema(
  { spec }: CustomResourceDefinition,
  version: DefinedVersion,
  dialect: OpenApiDialect,
  references: MetaReferences,
): OpenApiSchema {
  const props = version.schema?.openAPIV3Schema;
  const keepsUnknown = spec.preserveUnknownFields === true || props?.['x-kubernetes-preserve-unknown-fields'] === true;
  // With fields but not all of them, clients would refuse what they do not find there.
  if (props === undefined || (dialect === 'v2' && keepsUnknown)) return { type: 'object' };
  const written = new SchemaWriter(dialect, references).write(props);
  written['properties'] = {
    ...(written['properties'] as object | undefined),
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: references.objectMeta,
  };
  return written;
}
