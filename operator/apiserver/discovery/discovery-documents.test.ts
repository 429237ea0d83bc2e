import { describe, expect, it } from 'vitest';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { DiscoveryDocuments } from './discovery-documents.ts';

const documents = new DiscoveryDocuments(buildKindRegistry('bailiwick.dev'), []);

function print(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

describe('discovery', () => {
  it.for([
    'networking.bailiwick.dev/v1',
    'policy/v1',
    'flowcontrol.apiserver.bailiwick.dev/v1',
    'admissionregistration.bailiwick.dev/v1',
  ])('lists the resources of %s', async (apiVersion) => {
    const file = `testdata/resources-${apiVersion.replace('/', '-')}.json`;
    await expect(print(documents.makeResourceList(apiVersion))).toMatchFileSnapshot(file);
  });

  it('lists alias groups behind all others, without short names and categories', () => {
    const { groups } = documents.makeGroupList() as { groups: { name: string }[] };
    expect(groups.slice(-2).map(({ name }) => name)).toEqual(['core.bailiwick.dev', 'policy.bailiwick.dev']);
    const list = documents.makeResourceList('core.bailiwick.dev/v1') as { resources: { name: string }[] };
    expect(list.resources.map(({ name }) => name)).toEqual(['limitranges', 'resourcequotas', 'resourcequotas/status']);
    expect(print(list)).not.toContain('shortNames');
    expect(print(list)).not.toContain('categories');
  });

  it('has no alias groups in the domain of Kubernetes', () => {
    const plain = new DiscoveryDocuments(buildKindRegistry('k8s.io'), []);
    expect(print(plain.makeGroupList())).not.toContain('core.k8s.io');
  });

  it('aggregates the same resources', () => {
    const aggregated = documents.makeAggregated(false, 'v2') as {
      items: {
        metadata: { name: string };
        versions: { resources: { resource: string; subresources?: object[] }[] }[];
      }[];
    };
    const policy = aggregated.items.find((item) => item.metadata.name === 'policy');
    expect(policy?.versions[0]?.resources).toEqual([
      {
        resource: 'poddisruptionbudgets',
        responseKind: { group: '', version: '', kind: 'PodDisruptionBudget' },
        scope: 'Namespaced',
        singularResource: 'poddisruptionbudget',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['pdb'],
        subresources: [
          {
            subresource: 'status',
            responseKind: { group: '', version: '', kind: 'PodDisruptionBudget' },
            verbs: ['get', 'patch', 'update'],
          },
        ],
      },
    ]);
  });

  it('knows nothing of groups that are not served', () => {
    expect(documents.makeGroup('constructor')).toBeUndefined();
    expect(documents.makeResourceList('v9')).toBeUndefined();
  });
});
