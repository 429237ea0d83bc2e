import { describe, expect, it } from 'vitest';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { OpenApiDocuments } from './openapi-documents.ts';

const documents = new OpenApiDocuments(buildKindRegistry('bailiwick.dev'), []);

/** Every `$ref` in a document. */
function listReferences(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : listReferences(member),
  );
}

async function readV3(path: string) {
  const document = await documents.getV3(path);
  return document === undefined ? undefined : JSON.parse(document.text);
}

describe('OpenAPI v3', () => {
  it.for([
    'api/v1',
    'apis/apps/v1',
    'apis/policy/v1',
    'apis/networking.bailiwick.dev/v1',
    'apis/core.bailiwick.dev/v1',
  ])('refers to nothing that %s does not hold', async (path) => {
    const document = await readV3(path);
    const known = new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`));
    expect(listReferences(document).filter((reference) => !known.has(reference))).toEqual([]);
  });

  it.for(['api/v1', 'apis/apiextensions.k8s.io/v1', 'apis/storage.k8s.io/v1'])(
    'says nothing empty of properties in %s, as Go programs write such a schema differently from what they read',
    async (path) => {
      expect((await documents.getV3(path))?.text).not.toContain('"properties":{}');
    },
  );

  it('describes operations as clients look for them', async () => {
    const document = await readV3('apis/networking.bailiwick.dev/v1');
    const path = '/apis/networking.bailiwick.dev/v1/namespaces/{namespace}/ingresses/{name}';
    const { patch } = document.paths[path];
    expect(patch).toMatchObject({
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: 'networking.bailiwick.dev', kind: 'Ingress', version: 'v1' },
    });
    expect(Object.keys(patch.requestBody.content)).toContain('application/strategic-merge-patch+json');
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'name',
      'namespace',
      'pretty',
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ]);
    expect(document.paths[`${path}/status`]).toBeDefined();
  });

  it('marks kinds and list semantics', async () => {
    const { components } = await readV3('apis/policy/v1');
    expect(components.schemas['io.k8s.api.policy.v1.PodDisruptionBudget']).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'policy', kind: 'PodDisruptionBudget', version: 'v1' }],
    });
    const { conditions } = components.schemas['io.k8s.api.policy.v1.PodDisruptionBudgetStatus'].properties;
    expect(conditions).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-merge-key': 'type',
    });
  });

  it('names the group of an alias in its own document only', async () => {
    const name = 'io.k8s.api.core.v1.ResourceQuota';
    const marks = async (path: string) =>
      (await readV3(path)).components.schemas[name]['x-kubernetes-group-version-kind'];
    const type = { kind: 'ResourceQuota', version: 'v1' };
    expect(await marks('api/v1')).toEqual([{ group: '', ...type }]);
    expect(await marks('apis/core.bailiwick.dev/v1')).toEqual([{ group: 'core.bailiwick.dev', ...type }]);
  });

  it('lists documents by their hashes', async () => {
    const index = (await documents.getV3Index()) as { paths: Record<string, { serverRelativeURL: string }> };
    const document = await documents.getV3('apis/policy/v1');
    expect(index.paths['apis/policy/v1']?.serverRelativeURL).toBe(`/openapi/v3/apis/policy/v1?hash=${document?.hash}`);
  });

  it('has no document of what is not served', async () => {
    expect(await documents.getV3('apis/core.example.org/v1')).toBeUndefined();
    expect(await documents.getV3('__proto__')).toBeUndefined();
  });
});

describe('OpenAPI v2', () => {
  it('refers to nothing that it does not hold', async () => {
    const document = JSON.parse((await documents.getV2()).text);
    const known = new Set(Object.keys(document.definitions).map((name) => `#/definitions/${name}`));
    expect(listReferences(document).filter((reference) => !known.has(reference))).toEqual([]);
    expect(Object.keys(document.paths).length).toBeGreaterThan(50);
  });

  it('gives every operation an id of its own', async () => {
    const document = JSON.parse((await documents.getV2()).text) as {
      paths: Record<string, Record<string, { operationId?: string }>>;
    };
    const ids = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ operationId }) => operationId ?? []);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});
