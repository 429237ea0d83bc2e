import type { JsonObject } from '../../core/meta/json.ts';
import type { StructuralSchema } from '../../core/schema/structural-schema.ts';

/** The structure of an OpenAPI schema of plain types, maps and lists. */
export function toStructuralSchema(schema: JsonObject): StructuralSchema {
  const { properties, additionalProperties, items } = schema as Readonly<Record<string, JsonObject | undefined>>;
  const listKeys = schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  const listType = schema['x-kubernetes-list-type'] as StructuralSchema['listType'];
  return {
    type: schema['type'] as StructuralSchema['type'],
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, toStructuralSchema(property as JsonObject)]),
      ),
    }),
    ...(additionalProperties && { values: toStructuralSchema(additionalProperties) }),
    ...(items && { items: toStructuralSchema(items) }),
    ...(listType && { listType }),
    ...(listKeys && { listMapKeys: listKeys }),
  };
}
