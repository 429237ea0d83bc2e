import type { JsonObject, JsonValue } from '../core/meta/json.ts';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';
import type { CrdFieldNotes, CrdNotes } from './crd-notes.ts';
import type { RegisteredKind } from './registry.ts';

/** Category of every kind of ours: `kubectl get bailiwick -A` lists them all. */
const CATEGORY = 'bailiwick';
const QUANTITY = String.raw`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`;
/** Digits that no sensible amount needs; what CEL costs is reckoned from it. */
const MAX_QUANTITY_LENGTH = 64;
// The format alone is not enforced.
const INT32_RANGE = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

function deriveScalar(schema: StructuralSchema): JsonObject {
  switch (schema.format) {
    case 'quantity':
      return { 'x-kubernetes-int-or-string': true, pattern: QUANTITY, maxLength: MAX_QUANTITY_LENGTH };
    case 'int-or-string':
      return { 'x-kubernetes-int-or-string': true, ...INT32_RANGE };
    case 'date-time':
    case 'micro-time':
      return { type: 'string', format: 'date-time' };
    case 'int32':
      return { type: 'integer', format: 'int32', ...INT32_RANGE };
    case 'int64':
      return { type: 'integer', format: 'int64' };
    case 'double':
      return { type: 'number', format: 'double' };
    default:
      break;
  }
  if (schema.type === 'any') return { 'x-kubernetes-preserve-unknown-fields': true };
  return { type: schema.type, ...(schema.format === undefined ? {} : { format: schema.format }) };
}

function deriveObject(schema: StructuralSchema, at: string, walk: Walk): JsonObject {
  const { properties, values, mapType, preserveUnknown } = schema;
  const derived: JsonObject = { type: 'object' };
  if (values !== undefined) derived['additionalProperties'] = walk.derive(values, `${at}{}`);
  if (properties !== undefined) {
    const prefix = at === '' ? '' : `${at}.`;
    const fields: JsonObject = {};
    for (const [name, property] of Object.entries(properties)) {
      fields[name] = walk.derive(property, `${prefix}${name}`);
    }
    for (const [path, addition] of walk.additions) {
      const name = path.slice(prefix.length);
      if (path.startsWith(prefix) && !/[.[{]/.test(name)) fields[name] = walk.derive(addition, path);
    }
    derived['properties'] = fields;
  }
  if (preserveUnknown === true) derived['x-kubernetes-preserve-unknown-fields'] = true;
  if (mapType !== undefined) derived['x-kubernetes-map-type'] = mapType;
  return derived;
}

function deriveArray(schema: StructuralSchema, at: string, walk: Walk): JsonObject {
  const { items, listType = 'atomic', listMapKeys } = schema;
  return {
    type: 'array',
    ...(items === undefined ? {} : { items: walk.derive(items, `${at}[]`) }),
    'x-kubernetes-list-type': listType,
    ...(listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': [...listMapKeys] }),
  };
}

function deriveConstraints(schema: StructuralSchema): JsonObject {
  const derived: JsonObject = {};
  for (const name of ['default', 'minimum', 'maximum', 'maxItems', 'maxLength', 'pattern', 'description'] as const) {
    const value = schema[name];
    if (value !== undefined) derived[name] = value;
  }
  if (schema.enum !== undefined) derived['enum'] = [...schema.enum];
  return derived;
}

function renderNotes({ rules, listType, allowsOthers: _others, ...constraints }: CrdFieldNotes): JsonObject {
  const validations = rules?.map((rule): JsonObject => ({ ...rule }));
  return {
    ...(constraints as JsonObject),
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    ...(validations === undefined ? {} : { 'x-kubernetes-validations': validations }),
  };
}

/** A walk through one kind's schema; remembers which notes were used. */
class Walk {
  readonly additions: readonly (readonly [string, StructuralSchema])[];
  readonly #notes: CrdNotes;
  readonly #used = new Set<string>();

  constructor(notes: CrdNotes) {
    this.#notes = notes;
    this.additions = Object.entries(notes.additions ?? {});
  }

  derive(schema: StructuralSchema, at: string): JsonObject {
    this.#used.add(at);
    const shape =
      schema.type === 'object'
        ? deriveObject(schema, at, this)
        : schema.type === 'array'
          ? deriveArray(schema, at, this)
          : deriveScalar(schema);
    const notes = this.#notes.fields[at] ?? {};
    const { enum: values, ...constraints } = deriveConstraints(schema);
    const listed = values === undefined || notes.allowsOthers === true ? {} : { enum: values };
    return { ...shape, ...constraints, ...listed, ...renderNotes(notes) };
  }

  /** Paths of notes and additions that belong to no field. */
  listUnused(): string[] {
    const paths = [...Object.keys(this.#notes.fields), ...this.additions.map(([path]) => path)];
    return paths.filter((path) => !this.#used.has(path));
  }
}

function deriveVersionSchema(kind: RegisteredKind, notes: CrdNotes): JsonObject {
  const { apiVersion, kind: name, metadata: _metadata, ...own } = kind.schema.properties ?? {};
  if (apiVersion === undefined || name === undefined) throw new Error(`${kind.kind} has no apiVersion and kind`);
  const walk = new Walk(notes);
  const schema = walk.derive(
    { ...kind.schema, mapType: undefined, properties: { apiVersion, kind: name, ...own } },
    '',
  );
  const unused = walk.listUnused();
  if (unused.length > 0) throw new Error(`the notes for the CRD of ${kind.kind} name no field: ${unused.join(', ')}`);
  const fields = schema['properties'] as JsonObject;
  // The host knows the metadata itself, and lets a schema say no more than this.
  const { apiVersion: shownVersion, kind: shownKind, ...rest } = fields;
  schema['properties'] = {
    apiVersion: shownVersion as JsonValue,
    kind: shownKind as JsonValue,
    metadata: { type: 'object' },
    ...rest,
  };
  return schema;
}

/**
 * The CustomResourceDefinition (apiextensions.k8s.io/v1) by which a host holds the kind, in its alias group where it has one.
 * Throws for a kind without notes for it, for notes about fields that are not there, and where the group has no dot.
 */
export function deriveCrd(kind: RegisteredKind): JsonObject {
  const { crd } = kind;
  const group = kind.aliasGroup ?? kind.group;
  if (crd === undefined) throw new Error(`${kind.kind} has no notes for a CustomResourceDefinition`);
  if (!group.includes('.')) throw new Error(`${kind.kind} would be in the group "${group}", which needs a dot`);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${group}` },
    spec: {
      group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length === 0 ? {} : { shortNames: [...kind.shortNames] }),
        categories: [...kind.categories, CATEGORY],
      },
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: deriveVersionSchema(kind, crd) },
          ...(kind.strategy.status === undefined ? {} : { subresources: { status: {} } }),
          additionalPrinterColumns: crd.columns.map(({ priority, ...column }): JsonObject => ({
            ...column,
            ...(priority === 0 ? {} : { priority }),
          })),
        },
      ],
    },
  };
}
