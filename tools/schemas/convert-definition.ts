/** What the Go program tells of one field. */
export interface GoFieldFacts {
  readonly zero: 'omit' | 'keep' | 'fill';
  readonly type: string;
}

/** What the Go program tells of one type. */
export interface GoTypeFacts {
  readonly type: string;
  readonly fields: Readonly<Record<string, GoFieldFacts>>;
}

/** The part of OpenAPI's schema objects that Kubernetes uses. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
}

/** A generated node: fields of a StructuralSchema, and `$ref` where it refers to a definition. */
export type GeneratedSchema = Readonly<Record<string, unknown>>;

const referencePrefix = '#/components/schemas/';

const definitionPrefix = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
const schemaReference = { $ref: `${definitionPrefix}.JSONSchemaProps` };

const scalarDefinitions: Readonly<Record<string, GeneratedSchema>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string', format: 'quantity', goType: 'resource.Quantity' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
    type: 'any',
    format: 'int-or-string',
    goType: 'intstr.IntOrString',
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { type: 'string', format: 'date-time', goType: 'v1.Time' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': { type: 'string', format: 'micro-time', goType: 'v1.MicroTime' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Duration': { type: 'string', goType: 'v1.Duration' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'object', preserveUnknown: true, goType: 'v1.FieldsV1' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': {
    type: 'any',
    preserveUnknown: true,
    mapType: 'atomic',
    goType: 'runtime.RawExtension',
  },
  [`${definitionPrefix}.JSON`]: { type: 'any', goType: 'v1.JSON' },
  [`${definitionPrefix}.JSONSchemaPropsOrArray`]: {
    type: 'any',
    goType: 'v1.JSONSchemaPropsOrArray',
    alternatives: { object: schemaReference, array: { type: 'array', items: schemaReference } },
  },
  [`${definitionPrefix}.JSONSchemaPropsOrBool`]: {
    type: 'any',
    goType: 'v1.JSONSchemaPropsOrBool',
    alternatives: { object: schemaReference, boolean: true, fault: 'boolean or JSON schema expected' },
  },
  [`${definitionPrefix}.JSONSchemaPropsOrStringArray`]: {
    type: 'any',
    goType: 'v1.JSONSchemaPropsOrStringArray',
    alternatives: { object: schemaReference, array: { type: 'array', items: { type: 'string' } } },
  },
};

/** Name of the definition that a schema refers to, directly or by `allOf`; `undefined` when it stands for itself. */
function readReference(schema: OpenApiSchema): string | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference?.slice(referencePrefix.length);
}

/** OpenAPI gives every field that is always written its zero value as a default; only others are defaults that a server fills in. */
function isRealDefault(value: unknown, zero: GoFieldFacts['zero'] | undefined): boolean {
  if (value === undefined || typeof value === 'object') return false;
  return zero === 'keep' || (value !== '' && value !== 0 && value !== false);
}

function dropUndefined(entries: Record<string, unknown>): GeneratedSchema {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

const scalarGoTypes: Readonly<Record<string, string>> = {
  'string/': 'string',
  'string/byte': '[]uint8',
  'integer/int32': 'int32',
  'integer/int64': 'int64',
  'number/double': 'float64',
  'boolean/': 'bool',
};

function convertField(schema: OpenApiSchema, goType: string, zero?: GoFieldFacts['zero']): GeneratedSchema {
  const reference = readReference(schema);
  const common = {
    listType: schema['x-kubernetes-list-type'],
    listMapKeys: schema['x-kubernetes-list-map-keys'],
    mapType: schema['x-kubernetes-map-type'],
    patchStrategy: schema['x-kubernetes-patch-strategy']?.split(','),
    patchMergeKey: schema['x-kubernetes-patch-merge-key'],
    default: isRealDefault(schema.default, zero) ? schema.default : undefined,
    enum: schema.enum,
  };
  if (reference !== undefined) return dropUndefined({ $ref: reference, ...common });
  if (schema.type === 'array') {
    const named = goType.startsWith('[]') ? undefined : goType;
    const items = convertField(schema.items ?? {}, named === undefined ? goType.slice(2).replace(/^\*/, '') : '');
    return dropUndefined({ type: 'array', items, goType: named || undefined, ...common });
  }
  if (schema.type === 'object' && schema.additionalProperties) {
    const named = /^map\[[^\]]*\]/.exec(goType);
    const values = convertField(schema.additionalProperties, named ? goType.slice(named[0].length) : '');
    return dropUndefined({ type: 'object', values, goType: named ? undefined : goType || undefined, ...common });
  }
  const derived = scalarGoTypes[`${schema.type}/${schema.format ?? ''}`];
  return dropUndefined({
    type: schema.type ?? 'any',
    format: schema.format,
    goType: goType === derived || goType === '' ? undefined : goType,
    ...common,
  });
}

/** The generated node of one definition. Throws when OpenAPI and Go tell of different fields. */
export function convertDefinition(
  name: string,
  schema: OpenApiSchema,
  facts: GoTypeFacts | undefined,
): GeneratedSchema {
  const scalar = scalarDefinitions[name];
  if (scalar) return scalar;
  if (schema.type !== 'object' || !facts) throw new Error(`no rule for the definition ${name}`);
  const properties: Record<string, GeneratedSchema> = {};
  for (const [field, property] of Object.entries(schema.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const known = facts.fields[field];
    if (!known) throw new Error(`the Go type of ${name} has no field ${field}`);
    properties[field] = { ...convertField(property, known.type, known.zero), zero: known.zero };
  }
  return dropUndefined({
    type: 'object',
    goType: facts.type,
    properties,
    required: schema.required,
    mapType: schema['x-kubernetes-map-type'],
  });
}

/** Names of the definitions that a generated node refers to. */
export function listReferences(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(listReferences);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : listReferences(value),
  );
}
