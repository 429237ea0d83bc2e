import type { JsonSchemaProps } from './custom-resource-definition.ts';
import { singleItems } from './validate-structural.ts';

function describeFields(schema: JsonSchemaProps): string | undefined {
  const isFilled = (members: object | undefined): boolean => Object.keys(members ?? {}).length > 0;
  const unsupported: readonly (readonly [name: string, isThere: boolean])[] = [
    ['id', (schema.id ?? '') !== ''],
    ['schema', (schema.$schema ?? '') !== ''],
    ['$ref', (schema.$ref ?? '') !== ''],
    ['patternProperties', isFilled(schema.patternProperties)],
    ['dependencies', isFilled(schema.dependencies)],
    ['additionalItems', schema.additionalItems !== undefined],
    ['definitions', isFilled(schema.definitions)],
  ];
  const found = unsupported.find(([, isThere]) => isThere);
  return found === undefined ? undefined : `OpenAPIV3Schema '${found[0]}' is not supported`;
}

/** Why nothing can be made of a schema, as the first thing that no structural schema may have; `undefined` when there is none. */
export function describeUnsupported(schema: JsonSchemaProps): string | undefined {
  const fault = describeFields(schema);
  if (fault !== undefined) return fault;
  for (const part of [
    ...(schema.not === undefined ? [] : [schema.not]),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ]) {
    const below = describeUnsupported(part);
    if (below !== undefined) return below;
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  const { additionalProperties } = schema;
  const items = singleItems(schema);
  const members = Object.keys(schema.properties ?? {}).sort();
  for (const part of [
    ...(items === undefined ? [] : [items]),
    ...members.flatMap((key) => schema.properties?.[key] ?? []),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]) {
    const below = describeUnsupported(part);
    if (below !== undefined) return below;
  }
  return undefined;
}
