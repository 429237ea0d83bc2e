import type { JsonSchemaProps } from '../custom-resource-definition/custom-resource-definition.ts';

/** The schema of the items of a list; `undefined` when there is none. */
export function itemsOf(schema: JsonSchemaProps | undefined): JsonSchemaProps | undefined {
  const items = schema?.items;
  return items === undefined || Array.isArray(items) ? undefined : (items as JsonSchemaProps);
}

/** The schema of the values of a map; `undefined` when there is none. */
export function valuesOf(schema: JsonSchemaProps | undefined): JsonSchemaProps | undefined {
  const values = schema?.additionalProperties;
  return typeof values === 'object' ? values : undefined;
}

/** The schema of a named property; `undefined` when it is not declared. */
export function propertyOf(schema: JsonSchemaProps | undefined, name: string): JsonSchemaProps | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Fields of every resource, which its schema need not declare. */
export const typeAndMetadata: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** A schema whose root, and only that, is treated as a whole resource. */
export function asResource(schema: JsonSchemaProps): JsonSchemaProps {
  return schema['x-kubernetes-embedded-resource'] === true
    ? schema
    : { ...schema, 'x-kubernetes-embedded-resource': true };
}
