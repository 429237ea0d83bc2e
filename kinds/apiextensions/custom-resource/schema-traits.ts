import type { JsonSchemaProps } from '../custom-resource-definition/custom-resource-definition.ts';
import { itemsOf, valuesOf } from './schema-parts.ts';

const listTypes = 1;
const resources = 2;
const rules = 4;
const defaults = 8;
const composedDefaults = 16;

/** What is in each schema that was asked about: what has none of it is never walked through, and all is found in one walk. */
const known = new WeakMap<JsonSchemaProps, number>();

function findTraits(schema: JsonSchemaProps): number {
  const { properties } = schema;
  const [items, values] = [itemsOf(schema), valuesOf(schema)];
  // Most schemas hold no other: what they are is read more quickly than remembered.
  if (properties === undefined && items === undefined && values === undefined) return readOwn(schema);
  let traits = known.get(schema);
  if (traits === undefined) {
    traits = readOwn(schema);
    if (items !== undefined) traits |= findTraits(items);
    if (values !== undefined) traits |= findTraits(values);
    if (properties !== undefined) for (const property of Object.values(properties)) traits |= findTraits(property);
    known.set(schema, traits);
  }
  return traits;
}

function readOwn(schema: JsonSchemaProps): number {
  const type = schema['x-kubernetes-list-type'];
  return (
    (type === 'set' || type === 'map' ? listTypes : 0) |
    (schema['x-kubernetes-embedded-resource'] === true ? resources : 0) |
    ((schema['x-kubernetes-validations'] ?? []).length > 0 ? rules : 0) |
    (schema.default === undefined || schema.default === null ? 0 : defaults) |
    (typeof schema.default === 'object' && schema.default !== null ? composedDefaults : 0)
  );
}

/** Whether there are lists of type `set` or `map` in values of a schema. */
export function hasListTypes(schema: JsonSchemaProps): boolean {
  return (findTraits(schema) & listTypes) !== 0;
}

/** Whether there are whole resources in values of a schema. */
export function hasResources(schema: JsonSchemaProps): boolean {
  return (findTraits(schema) & resources) !== 0;
}

/** Whether there are rules of values of a schema. */
export function hasRules(schema: JsonSchemaProps): boolean {
  return (findTraits(schema) & rules) !== 0;
}

/** Whether there are defaults in a schema. */
export function hasDefaults(schema: JsonSchemaProps): boolean {
  return (findTraits(schema) & defaults) !== 0;
}

/** Whether there are objects or lists among the defaults in a schema. */
export function hasComposedDefaults(schema: JsonSchemaProps): boolean {
  return (findTraits(schema) & composedDefaults) !== 0;
}
