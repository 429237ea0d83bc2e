import type { FieldError } from '../../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../../core/errors/field-path.ts';
import { makeDuplicate, makeInvalid } from '../../../../core/errors/make-field-error.ts';
import { formatGoJson } from '../../../../core/errors/quote-go.ts';
import { getOwn, isJsonObject, setOwn, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, valuesOf } from '../schema-parts.ts';
import { hasListTypes } from '../schema-traits.ts';
import { sortKeys } from '../sort-keys.ts';

/** Items that occur again in lists of type `set`, and keys that do in those of type `map`. */
export function validateListTypes(
  value: JsonValue | undefined,
  schema: JsonSchemaProps,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, schema, path, errors);
  return errors;
}

function visit(
  value: JsonValue | undefined,
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (schema === undefined || !hasListTypes(schema)) return;
  if (Array.isArray(value)) {
    checkList(value, schema, path, errors);
    const items = itemsOf(schema);
    if (items === undefined || !hasListTypes(items)) return;
    for (const [i, item] of value.entries()) visit(item, items, path.index(i), errors);
  } else if (isJsonObject(value)) {
    const values = valuesOf(schema);
    if (values !== undefined) for (const key of Object.keys(value)) visit(value[key], values, path.key(key), errors);
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (hasListTypes(property)) visit(getOwn(value, key), property, path.child(key), errors);
    }
  }
}

function checkList(list: readonly JsonValue[], schema: JsonSchemaProps, path: FieldPath, errors: FieldError[]): void {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      for (const i of findRepeated(list.map(identify)))
        errors.push(makeDuplicate(path.index(i), sortKeys(list[i] ?? null)));
      return;
    case 'map':
      checkKeys(list, schema['x-kubernetes-list-map-keys'] ?? [], path, errors);
      return;
    default:
  }
}

function checkKeys(list: readonly JsonValue[], names: readonly string[], path: FieldPath, errors: FieldError[]): void {
  const wrong = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (wrong !== -1) {
    const detail = 'must be an object for an array of list-type map';
    errors.push(makeInvalid(path.index(wrong), sortKeys(list[wrong] ?? null), detail));
    return;
  }
  const identities = list.map((item) => {
    const object = isJsonObject(item) ? item : {};
    const parts = names.map((name) => {
      const value = getOwn(object, name);
      return value === undefined ? '' : identify(value);
    });
    return parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts);
  });
  for (const i of findRepeated(identities))
    errors.push(makeDuplicate(path.index(i), sortKeys(readKeys(list[i], names))));
}

function readKeys(item: JsonValue | undefined, names: readonly string[]): JsonObject {
  const keys: JsonObject = {};
  for (const name of names) {
    const value = isJsonObject(item) ? getOwn(item, name) : undefined;
    if (value !== undefined) setOwn(keys, name, value);
  }
  return keys;
}

function identify(value: JsonValue): string {
  if (typeof value === 'string') return `"${value}`;
  return formatGoJson(sortKeys(value));
}

/** Where something occurs for the second time; further times are not told. */
function findRepeated(identities: readonly string[]): number[] {
  const counts = new Map<string, number>();
  return identities.flatMap((identity, i) => {
    const count = (counts.get(identity) ?? 0) + 1;
    counts.set(identity, count);
    return count === 2 ? [i] : [];
  });
}
