import { deepClone } from '../../../../core/meta/deep.ts';
import { isJsonObject, setOwn, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, propertyOf, valuesOf } from '../schema-parts.ts';
import { hasComposedDefaults } from '../schema-traits.ts';

function isRefusedNull(value: JsonValue | undefined, schema: JsonSchemaProps | undefined): schema is JsonSchemaProps {
  return value === null && schema !== undefined && schema.nullable !== true;
}

function copyDefault(schema: JsonSchemaProps): JsonValue {
  return schema.default === undefined ? null : deepClone(schema.default);
}

/** Drops members that are null where the schema is neither nullable nor has a default, in place. */
export function dropRefusedNulls(value: JsonValue | undefined, schema: JsonSchemaProps | undefined): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    for (const item of value) dropRefusedNulls(item, items);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const below = propertyOf(schema, key) ?? valuesOf(schema);
      if (isRefusedNull(value[key], below) && below.default === undefined) delete value[key];
      else dropRefusedNulls(value[key], below);
    }
  }
}

/** Fills the schema's defaults into absent fields, and in place of null where the schema is not nullable; in place. */
export function defaultFields(value: JsonValue | undefined, schema: JsonSchemaProps | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) defaultItems(value, itemsOf(schema));
  else if (isJsonObject(value)) defaultMembers(value, schema);
}

function defaultItems(list: JsonValue[], items: JsonSchemaProps | undefined): void {
  for (let i = 0; i < list.length; i++) {
    if (isRefusedNull(list[i], items)) list[i] = copyDefault(items);
    defaultFields(list[i], items);
  }
}

function defaultMembers(object: JsonObject, schema: JsonSchemaProps): void {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || property.default === null) continue;
    const isAbsent = !Object.hasOwn(object, key) || object[key] === undefined;
    if (isAbsent || isRefusedNull(object[key], property)) setOwn(object, key, deepClone(property.default));
  }
  const values = valuesOf(schema);
  for (const key of Object.keys(object)) {
    const property = propertyOf(schema, key);
    if (property === undefined && isRefusedNull(object[key], values)) setOwn(object, key, copyDefault(values));
    defaultFields(object[key], property ?? values);
  }
}

/** A schema whose defaults have no fields that it does not declare; what it shares with the given one is not changed. */
export function pruneDefaults(schema: JsonSchemaProps, prune: PruneDefault): JsonSchemaProps {
  if (!hasComposedDefaults(schema)) return schema;
  const { properties } = schema;
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  return {
    ...schema,
    ...(isJsonObject(schema.default) || Array.isArray(schema.default)
      ? { default: prune(schema.default, schema) }
      : {}),
    ...(items === undefined ? {} : { items: pruneDefaults(items, prune) }),
    ...(values === undefined ? {} : { additionalProperties: pruneDefaults(values, prune) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, pruneDefaults(property, prune)]),
          ),
        }),
  };
}

/** Answers a default without what its schema does not declare; changes neither. */
export type PruneDefault = (value: JsonValue, schema: JsonSchemaProps) => JsonValue;
