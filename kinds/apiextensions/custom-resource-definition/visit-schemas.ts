import type { JsonSchemaProps } from './custom-resource-definition.ts';

function isSchema(value: unknown): value is JsonSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortedValues(members: Readonly<Record<string, unknown>> | undefined): JsonSchemaProps[] {
  return Object.keys(members ?? {})
    .sort()
    .map((key) => members?.[key])
    .filter(isSchema);
}

/** The schemas directly below a schema, wherever they may stand. */
function listBelow(schema: JsonSchemaProps): JsonSchemaProps[] {
  const items = schema.items;
  return [
    ...(Array.isArray(items) ? (items as JsonSchemaProps[]) : isSchema(items) ? [items] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.not === undefined ? [] : [schema.not]),
    ...sortedValues(schema.properties),
    ...(isSchema(schema.additionalProperties) ? [schema.additionalProperties] : []),
    ...sortedValues(schema.patternProperties),
    ...(isSchema(schema.additionalItems) ? [schema.additionalItems] : []),
    ...sortedValues(schema.definitions),
    ...sortedValues(schema.dependencies),
  ];
}

/** Calls `visit` with a schema and all that is below it, the outer ones first, until it answers `false`. */
export function visitSchemas(
  schema: JsonSchemaProps | undefined,
  visit: (schema: JsonSchemaProps) => boolean | void,
): void {
  const pending = schema === undefined ? [] : [schema];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (visit(next) === false) return;
    for (const below of listBelow(next).reverse()) pending.push(below);
  }
}
