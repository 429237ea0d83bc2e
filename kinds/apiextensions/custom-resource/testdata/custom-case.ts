import type { JsonObject } from '../../../../core/meta/json.ts';
import type {
  CustomResourceDefinition,
  DefinedVersion,
  JsonSchemaProps,
} from '../../custom-resource-definition/custom-resource-definition.ts';

/** Objects that are held against a schema, by a real API server and by ours. */
export interface CustomCase {
  /** Unique, a DNS label. */
  readonly name: string;
  /** Schema of `spec`, or of the whole object where `isRoot` is set. */
  readonly schema: JsonSchemaProps;
  readonly isRoot?: boolean;
  /** Schema before the one above, under which `old` was written; absent: the same. */
  readonly oldSchema?: JsonSchemaProps;
  /** Further fields of the version. */
  readonly version?: Partial<DefinedVersion>;
  readonly writes: readonly CustomWrite[];
}

/** What a client writes: fields of the object, or `spec` alone. */
export interface CustomWrite {
  readonly spec?: unknown;
  /** Fields of the whole object; metadata is added to what is there. */
  readonly object?: JsonObject;
  /** What is there before; absent: the write creates. */
  readonly old?: unknown;
  /** Fields of the whole object that is there before. */
  readonly oldObject?: JsonObject;
  /** Whether the write goes to `/status`. */
  readonly isStatus?: boolean;
}

/** What a server made of a write. */
export interface CustomAnswer {
  readonly code: number;
  /** Reason, field and message of each cause, in order. */
  readonly causes?: readonly (readonly [string, string, string])[];
  /** Where there are no causes. */
  readonly message?: string;
  readonly warnings?: readonly string[];
  /** The object without its metadata, but for the generation. */
  readonly object?: JsonObject;
}

/** Group of all cases' kinds. */
export const caseGroup = 'cases.example.com';

/** A name as the beginning of the name of a kind. */
function toKindName(name: string): string {
  return name
    .split('-')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('X');
}

/** The definition of a case; `isOld`: as it was before. */
export function makeCaseDefinition(one: CustomCase, isOld: boolean): CustomResourceDefinition {
  const { name, schema, oldSchema, isRoot, version } = one;
  const written = isOld ? (oldSchema ?? schema) : schema;
  const root: JsonSchemaProps = isRoot === true ? written : { type: 'object', properties: { spec: written } };
  // By its default one sees that a changed schema is in force.
  const marked: JsonSchemaProps =
    oldSchema === undefined
      ? root
      : { ...root, properties: { ...root.properties, schemaMark: { type: 'string', ...(isOld ? {} : { default: 'new' }) } } };
  const plural = `${name}-cases`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${caseGroup}` },
    spec: {
      group: caseGroup,
      scope: 'Cluster',
      names: { plural, kind: toKindName(name) },
      versions: [{ name: 'v1', served: true, storage: true, ...version, schema: { openAPIV3Schema: marked } }],
    },
  };
}

/** The object that a write sends, without type and name; `isOld`: that which is there before. */
export function makeCaseObject(write: CustomWrite, isOld: boolean): JsonObject {
  const object = isOld ? write.oldObject : write.object;
  const spec = isOld ? write.old : write.spec;
  return { ...object, ...(spec === undefined ? {} : { spec: spec as JsonObject }) };
}

/** Whether something is there before a write. */
export function hasOld(write: CustomWrite): boolean {
  return write.old !== undefined || write.oldObject !== undefined;
}
