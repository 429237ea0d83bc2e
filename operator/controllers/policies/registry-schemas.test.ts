import { expect, it } from 'vitest';
import type { CelObjectType } from '../../../core/cel/check/cel-environment.ts';
import { formatCelType } from '../../../core/cel/types/format-cel-type.ts';
import { completeResource, declareShape, type DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { shapeOfOpenApi } from '../../../core/cel/types/shape-of-open-api.ts';
import { isJsonObject, type JsonObject } from '../../../core/meta/json.ts';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { OpenApiDocuments } from '../../apiserver/discovery/openapi-documents.ts';
import { RegistrySchemas } from './registry-schemas.ts';

const registry = buildKindRegistry('bailiwick.dev');
const documents = new OpenApiDocuments(registry, []);

/** Fields by their paths, each with its type. */
function listFields(declared: DeclaredType | undefined): Record<string, string> {
  const objects: readonly CelObjectType[] = declared?.objects ?? [];
  const fields = objects.flatMap(({ name, fields }) =>
    [...fields].map(([field, { type }]) => [`${name}.${field}`, formatCelType(type)] as const),
  );
  return Object.fromEntries(fields);
}

it.for(registry.kinds.map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind] as const))(
  'declares what the OpenAPI document of %s says',
  async ([, { group, version, kind, schema }]) => {
    const document = await documents.getV3(group === '' ? `api/${version}` : `apis/${group}/${version}`);
    const { components } = JSON.parse(document?.text ?? '{}') as { components: { schemas: JsonObject } };
    const resolve = (reference: string): JsonObject | undefined => {
      const found = components.schemas[reference.slice('#/components/schemas/'.length)];
      return isJsonObject(found) ? found : undefined;
    };
    const described = resolve(`#/components/schemas/${schema.definition ?? `dev.bailiwick.${kind}`}`);
    const shape = described && shapeOfOpenApi(described, resolve);
    const snapshot = await new RegistrySchemas(registry).read([]);
    const own = snapshot.findType({ group, version, kind }, kind);
    expect(listFields(own)).toEqual(listFields(shape && declareShape(completeResource(shape), kind)));
    expect(Object.keys(listFields(own))).toContain(`${kind}.metadata.creationTimestamp`);
  },
);
