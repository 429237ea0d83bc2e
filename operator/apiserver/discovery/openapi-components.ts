import { deepEqual } from '../../../core/meta/deep.ts';
import type { StructuralSchema } from '../../../core/schema/structural-schema.ts';
import {
  INT_OR_STRING,
  INT_OR_STRING_V2,
  META_COMPONENTS,
  META_PREFIX,
  MICRO_TIME,
  QUANTITY,
  TIME,
} from './openapi-meta-components.ts';

/** A schema of an OpenAPI document. */
export type OpenApiSchema = Record<string, unknown>;

/** Which OpenAPI version the schemas are for; they differ in where definitions are and in what may stand beside a `$ref`. */
export type OpenApiDialect = 'v2' | 'v3';

const REFERENCE_PREFIXES = { v2: '#/definitions/', v3: '#/components/schemas/' } as const;

const FORMAT_DEFINITIONS: Readonly<Record<string, string>> = {
  quantity: QUANTITY,
  'int-or-string': INT_OR_STRING,
  'date-time': TIME,
  'micro-time': MICRO_TIME,
};

/** Collects the named schemas that an OpenAPI document refers to. */
export class OpenApiComponents {
  readonly dialect: OpenApiDialect;
  readonly #schemas = new Map<string, OpenApiSchema>();

  constructor(dialect: OpenApiDialect) {
    this.dialect = dialect;
  }

  /** All that was collected, by name in order. */
  entries(): [string, OpenApiSchema][] {
    return [...this.#schemas.entries()].toSorted(([left], [right]) => (left < right ? -1 : 1));
  }

  /** Adds a schema that is written out already, unless one of that name is there. */
  add(name: string, schema: OpenApiSchema): void {
    if (!this.#schemas.has(name)) this.#schemas.set(name, schema);
  }

  /** A reference to a common schema of Kubernetes' metadata, which is collected with all that it refers to. */
  referTo(name: string): OpenApiSchema {
    this.#addCommon(name);
    return { $ref: REFERENCE_PREFIXES[this.dialect] + name };
  }

  /** A reference to a schema that is collected already. */
  referToKind(name: string): OpenApiSchema {
    return { $ref: REFERENCE_PREFIXES[this.dialect] + name };
  }

  /** The name of a kind's schema, which is collected with all that it refers to. */
  addKind(schema: StructuralSchema, kind: string, groupVersionKinds: readonly object[]): string {
    const name = schema.definition ?? `dev.bailiwick.${kind}`;
    let made = this.#schemas.get(name);
    if (made === undefined) {
      made = {};
      this.#schemas.set(name, made);
      Object.assign(made, this.#describe(schema));
    }
    const known = (made['x-kubernetes-group-version-kind'] ?? []) as readonly object[];
    const added = groupVersionKinds.filter((type) => !known.some((other) => deepEqual(other, type)));
    made['x-kubernetes-group-version-kind'] = [...known, ...added];
    return name;
  }

  #addCommon(name: string): void {
    if (this.#schemas.has(name)) return;
    const schema = this.dialect === 'v2' && name === INT_OR_STRING ? INT_OR_STRING_V2 : META_COMPONENTS[name];
    if (schema === undefined) throw new Error(`no schema is known by the name ${name}`);
    const made: OpenApiSchema = {};
    this.#schemas.set(name, made);
    Object.assign(made, this.#resolve(schema));
  }

  /** Turns `{ $name }` of a common schema into a reference of this dialect. */
  #resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#resolve(item));
    if (typeof value !== 'object' || value === null) return value;
    const { $name, ...rest } = value as Record<string, unknown>;
    const resolved = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, this.#resolve(item)]));
    return typeof $name === 'string' ? this.#place(this.referTo(META_PREFIX + $name), resolved) : resolved;
  }

  /** A reference with fields beside it, which OpenAPI v3 wants in an `allOf`. */
  #place(reference: OpenApiSchema, beside: OpenApiSchema): OpenApiSchema {
    if (this.dialect === 'v2' || Object.keys(beside).length === 0) return { ...reference, ...beside };
    return { ...beside, allOf: [reference] };
  }

  /** A schema where it is used: named ones by reference, and collected. */
  use(schema: StructuralSchema): OpenApiSchema {
    const extensions = describeExtensions(schema);
    const beside: OpenApiSchema = {
      ...(schema.description === undefined ? {} : { description: schema.description }),
      ...extensions,
    };
    const format = schema.format === undefined ? undefined : FORMAT_DEFINITIONS[schema.format];
    if (format !== undefined) return this.#place(this.referTo(format), beside);
    if (schema.definition === undefined) return this.#describe(schema);
    if (!this.#schemas.has(schema.definition)) {
      const made: OpenApiSchema = {};
      this.#schemas.set(schema.definition, made);
      Object.assign(made, this.#describe(schema));
    }
    const own = schema.default === undefined ? {} : { default: schema.default };
    const reference = { $ref: REFERENCE_PREFIXES[this.dialect] + schema.definition };
    return this.#place(reference, { ...beside, ...own });
  }

  /** A schema written out. */
  #describe(schema: StructuralSchema): OpenApiSchema {
    const described: OpenApiSchema = {
      ...(schema.description === undefined ? {} : { description: schema.description }),
      ...(schema.type === 'any' ? {} : { type: schema.type }),
      ...(schema.format === undefined ? {} : { format: schema.format }),
      ...(schema.default === undefined ? {} : { default: schema.default }),
      ...(schema.enum === undefined ? {} : { enum: schema.enum }),
      ...describeExtensions(schema),
    };
    if (schema.required !== undefined && schema.required.length > 0) described['required'] = schema.required;
    if (schema.items !== undefined) described['items'] = this.use(schema.items);
    if (schema.values !== undefined) described['additionalProperties'] = this.use(schema.values);
    const names = Object.keys(schema.properties ?? {}).toSorted();
    // Kubernetes' own documents never have an empty one, which does not survive being read and written by Go programs.
    if (names.length > 0) {
      const use = (name: string): OpenApiSchema => this.use(schema.properties?.[name] ?? { type: 'any' });
      described['properties'] = Object.fromEntries(names.map((name) => [name, use(name)]));
    }
    return described;
  }
}

function describeExtensions(schema: StructuralSchema): OpenApiSchema {
  const extensions: OpenApiSchema = {};
  if (schema.type === 'array' && schema.listType !== undefined) extensions['x-kubernetes-list-type'] = schema.listType;
  if (schema.listMapKeys !== undefined) extensions['x-kubernetes-list-map-keys'] = schema.listMapKeys;
  if (schema.mapType === 'atomic') extensions['x-kubernetes-map-type'] = 'atomic';
  if (schema.patchStrategy !== undefined) extensions['x-kubernetes-patch-strategy'] = schema.patchStrategy.join(',');
  if (schema.patchMergeKey !== undefined) extensions['x-kubernetes-patch-merge-key'] = schema.patchMergeKey;
  if (schema.preserveUnknown === true) extensions['x-kubernetes-preserve-unknown-fields'] = true;
  return extensions;
}
