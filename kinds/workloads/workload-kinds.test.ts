import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { workloadKinds } from './workload-kinds.ts';

interface UpstreamResource {
  group: string;
  version: string;
  plural: string;
  kind: string;
  singular: string;
  namespaced: boolean;
  shortNames: string[];
  categories: string[];
  verbs: string[];
  subresources: Record<string, string[]>;
  columns?: { name: string; type: string; format: string; priority: number }[];
}

const file = new URL('testdata/upstream-resources.generated.json', import.meta.url);
const upstream = JSON.parse(readFileSync(file, 'utf8')) as UpstreamResource[];
const policyKinds = new Set(['Ingress', 'LimitRange', 'NetworkPolicy', 'PodDisruptionBudget', 'ResourceQuota']);
const unservedKinds = new Set(['ComponentStatus']);
const unservedSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
const served = upstream.filter(({ kind }) => !policyKinds.has(kind) && !unservedKinds.has(kind));

describe('the workload kinds', () => {
  it('are those of the upstream groups, and no others', () => {
    const name = (group: string, plural: string): string => `${group}/${plural}`;
    expect(workloadKinds.map(({ groupTemplate, plural }) => name(groupTemplate, plural)).sort()).toEqual(
      served.map(({ group, plural }) => name(group, plural)).sort(),
    );
  });

  it.for(served.map((resource) => [`${resource.group}/${resource.plural}`, resource] as const))(
    '%s is served as upstream serves it',
    ([, resource]) => {
      const found = workloadKinds.find(
        ({ groupTemplate, plural }) => groupTemplate === resource.group && plural === resource.plural,
      );
      if (!found) throw new Error('not found');
      const { kind, version, singular, namespaced, shortNames, categories } = found;
      const { columns, verbs, subresources, group: _group, plural: _plural, ...rest } = resource;
      expect({ kind, version, singular, namespaced, shortNames, categories }).toEqual(rest);
      const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
      expect(found.verbs ?? all).toEqual(verbs);
      const below = [
        ...(found.subresources ?? []),
        ...(found.strategy.status ? ['status'] : []),
        ...(found.scale ? ['scale'] : []),
      ];
      expect(below.sort()).toEqual(
        Object.keys(subresources)
          .filter((name) => !unservedSubresources.has(name))
          .sort(),
      );
      if (columns) {
        const shape = found.columns.map(({ name, type, format, priority }) => ({
          ...{ name, type, format: format ?? '', priority },
        }));
        expect(shape).toEqual(columns);
        const object = { apiVersion: 'v1', kind, metadata: { name: 'x' } };
        // Kubernetes sends one cell more of an IPAddress than there are columns.
        expect(found.printRow(object, 0).length).toBe(columns.length + (kind === 'IPAddress' ? 1 : 0));
      }
      expect(found.schema.definition).toMatch(new RegExp(`\\.${version}\\.${kind}$`));
      expect(found.schema.properties?.['metadata']?.type).toBe('object');
    },
  );
});
