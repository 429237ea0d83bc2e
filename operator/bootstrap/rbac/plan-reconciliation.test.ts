import { describe, expect, it } from 'vitest';
import { planAggregatedRules } from '../../controllers/plan-aggregated-rules.ts';
import type { BindingObject, RoleObject } from '../../apiserver/authz/rbac/rbac-objects.ts';
import { buildDefaultClusterRoleBindings, buildDefaultClusterRoles } from './build-rbac-objects.ts';
import { planBindingReconciliation, planRoleReconciliation } from './plan-reconciliation.ts';

const metadata = {
  name: 'r',
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
};
const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] });
const expectedRole: RoleObject = {
  apiVersion: 'v1',
  kind: 'ClusterRole',
  metadata,
  rules: [rule('get'), rule('list')],
};
const expectedBinding: BindingObject = {
  apiVersion: 'v1',
  kind: 'ClusterRoleBinding',
  metadata,
  roleRef: { apiGroup: 'g', kind: 'ClusterRole', name: 'r' },
  subjects: [{ kind: 'Group', name: 'a' }],
};

describe('a default role', () => {
  it('is created when it is absent', () => {
    expect(planRoleReconciliation(undefined, expectedRole)).toEqual({ action: 'create', object: expectedRole });
  });

  it('is left alone when it has everything', () => {
    const stored = {
      ...expectedRole,
      rules: [rule('*')],
      metadata: { ...metadata, labels: { ...metadata.labels, own: 'x' } },
    };
    expect(planRoleReconciliation(stored, expectedRole)).toEqual({ action: 'none' });
  });

  it('gets back what is missing, and keeps what was added', () => {
    const stored = {
      ...expectedRole,
      rules: [rule('get'), rule('watch')],
      metadata: { name: 'r', labels: { own: 'x' } },
    };
    const planned = planRoleReconciliation(stored, expectedRole);
    expect(planned).toMatchObject({
      action: 'update',
      object: {
        rules: [rule('get'), rule('watch'), rule('list')],
        metadata: { labels: { own: 'x', 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
      },
    });
  });

  it('is left alone when it is protected', () => {
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    const stored = { ...expectedRole, rules: [], metadata: { ...metadata, annotations } };
    expect(planRoleReconciliation(stored, expectedRole)).toEqual({ action: 'none' });
  });

  it('gets back its selectors', () => {
    const selector = { matchLabels: { a: 'true' } };
    const expected = { ...expectedRole, rules: [], aggregationRule: { clusterRoleSelectors: [selector] } };
    const own = { matchLabels: { own: 'true' } };
    const stored = { ...expected, rules: [rule('get')], aggregationRule: { clusterRoleSelectors: [own] } };
    expect(planRoleReconciliation(stored, expected)).toMatchObject({
      action: 'update',
      object: { rules: [rule('get')], aggregationRule: { clusterRoleSelectors: [own, selector] } },
    });
  });
});

describe('a default binding', () => {
  it('gets back missing subjects, and keeps others', () => {
    const stored = { ...expectedBinding, subjects: [{ kind: 'User', name: 'own' }] };
    expect(planBindingReconciliation(stored, expectedBinding)).toMatchObject({
      action: 'update',
      object: { subjects: [{ name: 'own' }, { name: 'a' }] },
    });
  });

  it('is replaced when it gives another role', () => {
    const stored = { ...expectedBinding, roleRef: { ...expectedBinding.roleRef, name: 'other' } };
    expect(planBindingReconciliation(stored, expectedBinding)).toEqual({ action: 'replace', object: expectedBinding });
  });

  it('is left alone when it has everything', () => {
    expect(planBindingReconciliation(expectedBinding, expectedBinding)).toEqual({ action: 'none' });
  });
});

describe('the default objects', () => {
  it.for(['bailiwick.dev', 'k8s.io'])('give bindings to roles that exist, with the domain %s', (domain) => {
    const roles = new Set(buildDefaultClusterRoles(domain).map((role) => role.metadata.name));
    const dangling = buildDefaultClusterRoleBindings().filter((binding) => !roles.has(binding.roleRef.name));
    expect(dangling).toEqual([]);
  });

  it.for<[string, string[]]>([
    ['bailiwick.dev', ['core.bailiwick.dev', 'networking.bailiwick.dev', 'policy', 'policy.bailiwick.dev']],
    ['k8s.io', ['networking.k8s.io', 'policy']],
  ])('name the groups of the domain %s', ([domain, expected]) => {
    const view = buildDefaultClusterRoles(domain).find((role) => role.metadata.name === 'system:aggregate-to-view');
    const groups = new Set((view?.rules ?? []).flatMap((each) => each.apiGroups ?? []));
    expect([...groups].filter((group) => /^(core\.|networking|policy)/.test(group)).toSorted()).toEqual(expected);
  });
});

describe('aggregated rules', () => {
  const labelled = (name: string, label: string, verbs: string[]): RoleObject => ({
    apiVersion: 'v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { [label]: 'true' } },
    rules: verbs.map(rule),
  });
  const target: RoleObject = {
    ...labelled('all', 'to', ['stale']),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'true' } }, { matchLabels: { also: 'true' } }] },
  };

  it('are those of the selected roles by name, each once, without its own', () => {
    const roles = [
      labelled('b', 'to', ['list', 'get']),
      target,
      labelled('a', 'to', ['get']),
      labelled('c', 'also', ['get', 'watch']),
    ];
    expect(planAggregatedRules(target, roles)).toEqual([rule('get'), rule('list'), rule('watch')]);
  });

  it('are left alone when they are right', () => {
    const current = { ...target, rules: [rule('get')] };
    expect(planAggregatedRules(current, [current, labelled('a', 'to', ['get'])])).toBeUndefined();
  });

  it('become none when nothing is selected', () => {
    expect(planAggregatedRules(target, [target])).toEqual([]);
  });
});
