import { decodeTyped } from '../../../../core/decode/decode-typed.ts';
import type { FieldError } from '../../../../core/errors/field-error.ts';
import { FieldPath } from '../../../../core/errors/field-path.ts';
import { formatFieldError, makeInvalid } from '../../../../core/errors/make-field-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import { resolveDefinition } from '../../../workloads/resolve-schema.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, propertyOf, valuesOf } from '../schema-parts.ts';
import { hasResources } from '../schema-traits.ts';
import { UnknownPaths } from './unknown-paths.ts';

/** The structure of the metadata of every object. */
export const objectMetaStructure = resolveDefinition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');

/** Metadata that was read, and the paths of what it does not know; or why it could not be read, in Go's words. */
export type ReadMetadata =
  { readonly metadata: JsonObject; readonly unknownFields: readonly string[] } | { readonly fault: string };

/** Reads metadata as its Go type holds it. */
export function readMetadata(value: JsonValue): ReadMetadata {
  const decoded = decodeTyped(value, objectMetaStructure);
  if ('fault' in decoded) return decoded;
  return { metadata: decoded.object, unknownFields: decoded.unknownFields };
}

/**
 * Reads the metadata of resources inside `value` as their Go type holds it, in place, and checks that their type is text. Answers the
 * paths of metadata that is unknown, the least hundred in order, or the first fault; paths are below that of `value`.
 */
export function coerceEmbeddedMetadata(
  value: JsonValue,
  schema: JsonSchemaProps,
  path: FieldPath = FieldPath.empty,
): { readonly unknownFields: readonly string[] } | { readonly fault: string; readonly error: FieldError } {
  const coercer = new Coercer();
  const error = coercer.coerce(path, value, schema);
  return error === undefined ? { unknownFields: coercer.unknown.list() } : { fault: formatFieldError(error), error };
}

class Coercer {
  readonly unknown = new UnknownPaths();

  /** The first fault; `undefined` when there is none. */
  coerce(path: FieldPath, value: JsonValue | undefined, schema: JsonSchemaProps | undefined): FieldError | undefined {
    if (schema === undefined || !hasResources(schema)) return undefined;
    if (Array.isArray(value)) {
      const items = itemsOf(schema);
      for (const [index, item] of value.entries()) {
        const fault = this.coerce(path.index(index), item, items);
        if (fault !== undefined) return fault;
      }
    } else if (isJsonObject(value)) {
      return this.#coerceMembers(path, value, schema);
    }
    return undefined;
  }

  #coerceMembers(path: FieldPath, object: JsonObject, schema: JsonSchemaProps): FieldError | undefined {
    const isResource = schema['x-kubernetes-embedded-resource'] === true;
    for (const key of Object.keys(object)) {
      const fault = isResource ? this.#coerceField(path, object, key) : undefined;
      if (fault !== undefined) return fault;
      const property = propertyOf(schema, key);
      const inside = property ?? valuesOf(schema);
      if (inside === undefined || !hasResources(inside)) continue;
      const below = property === undefined ? path.key(key) : path.child(key);
      const inner = this.coerce(below, object[key], property ?? valuesOf(schema));
      if (inner !== undefined) return inner;
    }
    return undefined;
  }

  #coerceField(path: FieldPath, object: JsonObject, key: string): FieldError | undefined {
    const value = object[key] ?? null;
    if ((key === 'apiVersion' || key === 'kind') && typeof value !== 'string') {
      return makeInvalid(path.child(key), value, 'must be a string');
    }
    if (key !== 'metadata') return undefined;
    const read = readMetadata(value);
    if ('fault' in read) return makeInvalid(path.child(key), value, read.fault);
    for (const field of read.unknownFields) this.unknown.add(path.child('metadata', field).toString());
    object[key] = read.metadata;
    return undefined;
  }
}
