import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';
import { locateKind } from './locate-kind.ts';
import { agentKinds, buildKindRegistry, ownReviewKinds, policyKinds } from './registry.ts';
import { reviewRuleTables, ruleTables } from './rule-tables.ts';

const parts = [
  'README.md',
  'crd.ts',
  'defaults.ts',
  'definition.ts',
  'schema.ts',
  'strategy.ts',
  'validate.ts',
  'testdata/full.json',
  'testdata/minimal.json',
  'testdata/rules.ts',
];

function listFields(schema: StructuralSchema, path = ''): string[] {
  const inner = schema.items ?? schema.values;
  if (inner !== undefined) return listFields(inner, schema.items === undefined ? path : `${path}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return ['apiVersion', 'kind', 'metadata'].includes(at) ? [] : [at, ...listFields(property, at)];
  });
}

describe('the registry', () => {
  it.for([
    ['bailiwick.dev', '', 'resourcequotas', 'v1', 'core.bailiwick.dev'],
    ['bailiwick.dev', 'networking.bailiwick.dev', 'ingresses', 'networking.bailiwick.dev/v1', undefined],
    ['bailiwick.dev', 'policy', 'poddisruptionbudgets', 'policy/v1', 'policy.bailiwick.dev'],
    [
      'example.org',
      'flowcontrol.apiserver.example.org',
      'flowschemas',
      'flowcontrol.apiserver.example.org/v1',
      undefined,
    ],
    ['k8s.io', '', 'limitranges', 'v1', undefined],
    ['k8s.io', 'policy', 'poddisruptionbudgets', 'policy/v1', undefined],
    ['k8s.io', 'networking.k8s.io', 'networkpolicies', 'networking.k8s.io/v1', undefined],
    [
      'k8s.io',
      'admissionregistration.k8s.io',
      'validatingadmissionpolicies',
      'admissionregistration.k8s.io/v1',
      undefined,
    ],
  ] as const)('with the domain %s serves %s/%s', ([domain, group, plural, apiVersion, aliasGroup]) => {
    const kind = buildKindRegistry(domain).find(group, 'v1', plural);
    expect(kind).toMatchObject({ group, plural, apiVersion });
    expect(kind?.aliasGroup).toBe(aliasGroup);
  });

  it('finds a kind by its alias group, its plural and its name', () => {
    const registry = buildKindRegistry('bailiwick.dev');
    const quota = registry.find('', 'v1', 'resourcequotas');
    expect(registry.find('core.bailiwick.dev', 'v1', 'resourcequotas')).toBe(quota);
    expect(registry.findByKind('core.bailiwick.dev', 'v1', 'ResourceQuota')).toBe(quota);
    expect(registry.findByKind('', 'v1', 'ResourceQuota')).toBe(quota);
    expect(registry.find('', 'v2', 'resourcequotas')).toBeUndefined();
    expect(registry.find('policy', 'v1', 'resourcequotas')).toBeUndefined();
  });

  it('has no two kinds of the same group and name, and no short name twice in a group', () => {
    const { kinds } = buildKindRegistry('k8s.io');
    const names = kinds.flatMap(({ group, plural, shortNames }) =>
      [plural, ...shortNames].map((name) => `${group}/${name}`),
    );
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('has every folder of the groups that the nine kinds make up', () => {
    const groups = new Set(
      policyKinds.map((kind) => dirname(locateKind(kind))).filter((path) => !path.endsWith('core')),
    );
    const folders = [...groups].flatMap((group) =>
      readdirSync(group, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && existsSync(join(group, entry.name, 'definition.ts')))
        .map((entry) => join(group, entry.name)),
    );
    const known = buildKindRegistry('k8s.io').kinds.map(({ kind }) => kind);
    const registered = policyKinds.map((kind) => locateKind(kind));
    const missing = folders
      .filter((folder) => !registered.includes(folder))
      .map((folder) => readFileSync(join(folder, 'definition.ts'), 'utf8'));
    expect(missing.filter((text) => !known.some((kind) => text.includes(`'${kind}'`)))).toEqual([]);
  });
});

/** Kinds that are not stored have no definition for a host, and no defaults of more than a line. */
const storedParts = new Set(['crd.ts', 'defaults.ts']);

describe.for([...policyKinds, ...ownReviewKinds, ...agentKinds].map((kind) => [kind.kind, kind] as const))(
  'the folder of %s',
  ([name, kind]) => {
    const folder = locateKind(kind);

    it('has all of its parts', () => {
      const needed = !policyKinds.includes(kind) ? parts.filter((part) => !storedParts.has(part)) : parts;
      expect(needed.filter((part) => !existsSync(join(folder, part)))).toEqual([]);
      expect({ ...ruleTables, ...reviewRuleTables }[name]?.length).toBeGreaterThan(0);
    });

    it('has a README that names every field of the schema', () => {
      const text = readFileSync(join(folder, 'README.md'), 'utf8');
      expect(listFields(kind.schema).filter((field) => !text.includes(`\`${field}\``))).toEqual([]);
    });

    it('describes every field', () => {
      const bare: string[] = [];
      const visit = (schema: StructuralSchema, path: string): void => {
        for (const [field, property] of Object.entries(schema.properties ?? {})) {
          if (property.description === undefined) bare.push(`${path}.${field}`);
          visit(property, `${path}.${field}`);
        }
        const inner = schema.items ?? schema.values;
        if (inner !== undefined) visit(inner, `${path}[]`);
      };
      visit(kind.schema, name);
      expect(bare).toEqual([]);
    });
  },
);
