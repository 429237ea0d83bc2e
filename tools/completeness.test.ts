import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';

import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { locateKind } from '../kinds/locate-kind.ts';
import { agentKinds, buildKindRegistry, ownReviewKinds, policyKinds } from '../kinds/registry.ts';
import type { RegisteredKind } from '../kinds/registry.ts';
import { ruleTables } from '../kinds/rule-tables.ts';
import { matchesRule } from '../operator/apiserver/authz/rbac/match-rule.ts';
import { DiscoveryDocuments } from '../operator/apiserver/discovery/discovery-documents.ts';
import { buildDefaultClusterRoles } from '../operator/bootstrap/rbac/build-rbac-objects.ts';
import { planAggregatedRules } from '../operator/controllers/plan-aggregated-rules.ts';
import { projectRoot } from './run-command.ts';

const domains = ['bailiwick.dev', 'example.org', 'k8s.io'] as const;
const policyNames = new Set(policyKinds.map(({ kind }) => kind));
const readVerbs = ['get', 'list', 'watch'];
const writeVerbs = ['create', 'delete', 'deletecollection', 'patch', 'update'];

function listPolicyKinds(domain: string): RegisteredKind[] {
  return buildKindRegistry(domain).kinds.filter(({ kind }) => policyNames.has(kind));
}

/** The verbs that a default role gives on a resource, in each group under which it is served. */
function listVerbs(domain: string, role: string, kind: RegisteredKind, subresource?: string): string[][] {
  const roles = buildDefaultClusterRoles(domain);
  // One role takes over another's rules, which has taken over a third's.
  for (let round = 0; round < 3; round += 1) {
    for (const one of roles) one.rules = planAggregatedRules(one, roles) ?? one.rules ?? [];
  }
  const rules = roles.find(({ metadata }) => metadata.name === role)?.rules ?? [];
  const { group, aliasGroup, version, plural: resource } = kind;
  return [group, ...(aliasGroup === undefined ? [] : [aliasGroup])].map((served) =>
    [...readVerbs, ...writeVerbs].filter((verb) =>
      rules.some((rule) =>
        matchesRule(rule, {
          type: 'resource',
          verb,
          group: served,
          version,
          resource,
          ...(subresource === undefined ? {} : { subresource }),
        }),
      ),
    ),
  );
}

/** Whether those who work in a namespace may change the kind: what limits them is for administrators of the installation. */
function isForEditors({ groupTemplate, namespaced }: RegisteredKind): boolean {
  return namespaced && groupTemplate !== '';
}

describe('the nine kinds', () => {
  it('are nine, each with a folder of its own in the tree', async () => {
    const folders = policyKinds.map((kind) => relative(projectRoot, locateKind(kind)));
    expect(new Set(folders).size).toBe(9);
    const described = await Array.fromAsync(glob('kinds/*/*/README.md', { cwd: projectRoot }));
    const unstored = [...ownReviewKinds, ...agentKinds].map((kind) => relative(projectRoot, locateKind(kind)));
    // Kinds that users define are described where they are made.
    const others = ['kinds/apiextensions/custom-resource'];
    expect(new Set(described.map((file) => dirname(file)))).toEqual(new Set([...folders, ...unstored, ...others]));
    expect(new Set(Object.keys(ruleTables))).toEqual(policyNames);
  });

  it('are each in an example', async () => {
    const files = await Array.fromAsync(glob('examples/*.yaml', { cwd: projectRoot }));
    const kinds = files
      .flatMap((file) => parseAllDocuments(readFileSync(join(projectRoot, file), 'utf8')))
      .map((document) => String(document.get('kind')));
    expect([...policyNames].filter((kind) => !kinds.includes(kind))).toEqual([]);
    expect(files.map((file) => basename(file)).filter((file) => !/^\d\d-[a-z-]+\.yaml$/.test(file))).toEqual([]);
  });

  it('are each on the page of kinds', () => {
    const page = readFileSync(join(projectRoot, 'docs/reference/kinds.md'), 'utf8');
    const headings = [...page.matchAll(/^## \[(\w+)\]/gm)].map(([, kind]) => kind);
    expect(new Set(headings)).toEqual(
      new Set([...policyNames, ...[...ownReviewKinds, ...agentKinds].map(({ kind }) => kind)]),
    );
  });

  it.for(domains)('are discovered with the domain %s under their groups, with verbs and subresources', (domain) => {
    const documents = new DiscoveryDocuments(buildKindRegistry(domain), []);
    for (const kind of listPolicyKinds(domain)) {
      const list = documents.makeResourceList(kind.apiVersion) as
        { resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[] } | undefined;
      const found = list?.resources.find(({ name }) => name === kind.plural);
      expect(found, kind.kind).toMatchObject({ kind: kind.kind, namespaced: kind.namespaced });
      expect(new Set(found?.verbs), kind.kind).toEqual(new Set([...readVerbs, ...writeVerbs]));
      const hasStatus = list?.resources.some(({ name }) => name === `${kind.plural}/status`);
      expect(hasStatus, kind.kind).toBe(kind.strategy.status !== undefined);
    }
  });
});

describe.for(domains)('the default roles with the domain %s', (domain) => {
  const kinds = listPolicyKinds(domain).map((kind) => [kind.kind, kind] as const);

  it.for(kinds)(
    'give view the right to read %s if it is namespaced, its status too, and never to write it',
    ([, kind]) => {
      const expected = kind.namespaced ? readVerbs : [];
      for (const verbs of listVerbs(domain, 'view', kind)) expect(verbs).toEqual(expected);
      if (kind.strategy.status === undefined) return;
      for (const verbs of listVerbs(domain, 'view', kind, 'status')) expect(verbs).toEqual(expected);
    },
  );

  it.for(kinds)('give edit and admin the right to write %s if it is namespaced and no limit on them', ([, kind]) => {
    const expected = [...(kind.namespaced ? readVerbs : []), ...(isForEditors(kind) ? writeVerbs : [])];
    for (const role of ['edit', 'admin']) {
      for (const verbs of listVerbs(domain, role, kind)) expect(verbs, role).toEqual(expected);
    }
  });

  it.for(kinds)('give cluster-admin every right on %s', ([, kind]) => {
    for (const verbs of listVerbs(domain, 'cluster-admin', kind)) expect(verbs).toEqual([...readVerbs, ...writeVerbs]);
  });
});

describe.for(domains)('the default roles with the domain %s', (domain) => {
  const checkpoint = buildKindRegistry(domain).kinds.find(({ kind }) => kind === 'Checkpoint') as RegisteredKind;
  const pods = { ...checkpoint, plural: 'pods' };

  it.for([
    ['view', ['get', 'list'], [], []],
    ['edit', ['get', 'list'], [], []],
    ['admin', ['get', 'list', 'delete', 'patch', 'update'], ['get'], ['create']],
  ] as const)(
    'let %s see checkpoints, and an administrator alone make them and read archives',
    ([role, own, archive, making]) => {
      expect(listVerbs(domain, role, checkpoint)).toEqual([own]);
      expect(listVerbs(domain, role, checkpoint, 'archive')).toEqual([archive]);
      expect(listVerbs(domain, role, pods, 'checkpoint')).toEqual([making]);
    },
  );
});
