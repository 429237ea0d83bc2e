import { deepClone } from '../../../../core/meta/deep.ts';
import { isJsonObject, setOwn, type JsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, propertyOf, valuesOf } from '../schema-parts.ts';
import { hasComposedDefaults, hasDefaults } from '../schema-traits.ts';

function isRefusedNull(value: JsonValue | undefined, schema: JsonSchemaProps | undefined): schema is JsonSchemaProps {
  return value === null && schema !== undefined && schema.nullable !== true;
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

/**
 * Fills the schema's defaults into absent fields, and in place of null where the schema is not nullable; in place. Answers whether all
 * are filled: what is more than some times the size of any body is not.
 */
export function defaultFields(value: JsonValue | undefined, schema: JsonSchemaProps | undefined): boolean {
  const filler = new DefaultFiller();
  filler.fill(value, schema);
  return filler.isWhole;
}

/** About so many characters of defaults are filled into one object. */
const maxFilled = 4 * 1024 * 1024;

class DefaultFiller {
  #left = maxFilled;

  get isWhole(): boolean {
    return this.#left >= 0;
  }

  fill(value: JsonValue | undefined, schema: JsonSchemaProps | undefined): void {
    if (schema === undefined || !hasDefaults(schema)) return;
    if (Array.isArray(value)) this.#fillItems(value, itemsOf(schema));
    else if (isJsonObject(value)) this.#fillMembers(value, schema);
  }

  #fillItems(list: JsonValue[], items: JsonSchemaProps | undefined): void {
    for (let i = 0; i < list.length && this.isWhole; i++) {
      if (isRefusedNull(list[i], items)) list[i] = this.#copyDefault(items);
      this.fill(list[i], items);
    }
  }

  #fillMembers(object: JsonObject, schema: JsonSchemaProps): void {
    for (const key of listDefaulted(schema)) {
      const property = propertyOf(schema, key);
      if (property === undefined || !this.isWhole) continue;
      const isAbsent = !Object.hasOwn(object, key) || object[key] === undefined;
      if (isAbsent || isRefusedNull(object[key], property)) setOwn(object, key, this.#copyDefault(property));
    }
    const values = valuesOf(schema);
    for (const key of Object.keys(object)) {
      if (!this.isWhole) return;
      const property = propertyOf(schema, key);
      if (property === undefined && isRefusedNull(object[key], values)) setOwn(object, key, this.#copyDefault(values));
      this.fill(object[key], property ?? values);
    }
  }

  #copyDefault(schema: JsonSchemaProps): JsonValue {
    if (schema.default === undefined) return null;
    this.#left -= measureDefault(schema);
    return this.isWhole ? deepClone(schema.default) : null;
  }
}

const defaulted = new WeakMap<object, readonly string[]>();

/** The names of the properties that have a default, found once. */
function listDefaulted({ properties }: JsonSchemaProps): readonly string[] {
  if (properties === undefined) return [];
  let names = defaulted.get(properties);
  if (names === undefined) {
    names = Object.keys(properties).filter((name) => (properties[name]?.default ?? null) !== null);
    defaulted.set(properties, names);
  }
  return names;
}

const sizes = new WeakMap<JsonSchemaProps, number>();

/** Characters of a default and of the name that it may get, about. */
function measureDefault(schema: JsonSchemaProps): number {
  let size = sizes.get(schema);
  if (size === undefined) {
    size = 16;
    const pending: unknown[] = [schema.default];
    while (pending.length > 0) {
      const next = pending.pop();
      size += typeof next === 'string' ? next.length + 3 : 16;
      if (typeof next !== 'object' || next === null) continue;
      for (const [key, part] of Object.entries(next)) {
        size += key.length + 4;
        pending.push(part);
      }
    }
    sizes.set(schema, size);
  }
  return size;
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
