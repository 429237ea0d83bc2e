import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { MatchResources, NamedRule } from '../match-resources.ts';
import { matchRequest } from './match-request.ts';
import type { PolicyRequest } from './policy-request.ts';
import { makeRequest } from './testdata/make-request.ts';

const everything: MatchResources = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
const pods: NamedRule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['pods'],
  scope: '*',
};
const namespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns', labels: { env: 'prod' } },
};

function makeRules(rule: Partial<NamedRule>, more: Partial<MatchResources> = {}): MatchResources {
  return { ...everything, resourceRules: [{ ...pods, ...rule }], ...more };
}

const clusterScoped: Partial<PolicyRequest> = {
  resource: { group: '', version: 'v1', resource: 'nodes' },
  kind: { group: '', version: 'v1', kind: 'Node' },
  namespace: '',
};
const ofNamespace: Partial<PolicyRequest> = {
  resource: { group: '', version: 'v1', resource: 'namespaces' },
  kind: { group: '', version: 'v1', kind: 'Namespace' },
  name: 'ns',
  namespace: 'ns',
  object: { metadata: { name: 'ns', labels: { env: 'test' } } },
};
const nodes = { resources: ['nodes'] };
const inProd = { namespaceSelector: { matchLabels: { env: 'prod' } } };
const ofTeam = (team: string) => ({ objectSelector: { matchLabels: { team } } });
const alias = {
  resource: { group: 'core.bailiwick.dev', version: 'v1', resource: 'pods' },
  kind: { group: 'core.bailiwick.dev', version: 'v1', kind: 'Pod' },
};
const converted: Partial<PolicyRequest> = {
  requested: {
    resource: { group: '', version: 'v2', resource: 'pods' },
    kind: { group: '', version: 'v2', kind: 'Pod' },
    subresource: '',
  },
};

describe('matchRequest', () => {
  it.for<[string, MatchResources, Partial<PolicyRequest>, boolean]>([
    ['no rules at all', everything, {}, true],
    ['the very rule', makeRules({}), {}, true],
    ['another operation', makeRules({}), { operation: 'DELETE' }, false],
    ['every operation', makeRules({ operations: ['*'] }), { operation: 'CONNECT' }, true],
    ['one of two operations', makeRules({ operations: ['UPDATE', 'CREATE'] }), {}, true],
    ['another group', makeRules({ apiGroups: ['apps'] }), {}, false],
    ['every group', makeRules({ apiGroups: ['*'] }), {}, true],
    ['another version', makeRules({ apiVersions: ['v2'] }), {}, false],
    ['every version', makeRules({ apiVersions: ['*'] }), {}, true],
    ['another resource', makeRules(nodes), {}, false],
    ['every resource', makeRules({ resources: ['*'] }), {}, true],
    ['every resource is no subresource', makeRules({ resources: ['*'] }), { subresource: 'status' }, false],
    ['a resource is not its subresource', makeRules({}), { subresource: 'status' }, false],
    ['a subresource', makeRules({ resources: ['pods/status'] }), { subresource: 'status' }, true],
    ['every subresource', makeRules({ resources: ['pods/*'] }), { subresource: 'status' }, true],
    // Kubernetes: the wildcard takes the object itself, too.
    ['every subresource takes the object, too', makeRules({ resources: ['pods/*'] }), {}, true],
    ['a subresource of every resource', makeRules({ resources: ['*/status'] }), { subresource: 'status' }, true],
    ['another subresource of every resource', makeRules({ resources: ['*/scale'] }), { subresource: 'status' }, false],
    ['everything there is', makeRules({ resources: ['*/*'] }), { subresource: 'status' }, true],
    ['a name', makeRules({ resourceNames: ['b', 'a'] }), {}, true],
    ['another name', makeRules({ resourceNames: ['b'] }), {}, false],
    ['a name that is yet to be made', makeRules({ resourceNames: ['a'] }), { name: '' }, false],
    ['namespaced scope', makeRules({ scope: 'Namespaced' }), {}, true],
    ['cluster scope', makeRules({ scope: 'Cluster' }), {}, false],
    ['cluster scope of a cluster-scoped object', makeRules({ ...nodes, scope: 'Cluster' }), clusterScoped, true],
    ['namespaced scope of a cluster-scoped object', makeRules({ ...nodes, scope: 'Namespaced' }), clusterScoped, false],
    ['a Namespace is cluster-scoped', makeRules({ resources: ['*'], scope: 'Cluster' }), ofNamespace, true],
    ['a Namespace is not namespaced', makeRules({ resources: ['*'], scope: 'Namespaced' }), ofNamespace, false],
    ['excluded', makeRules({}, { excludeResourceRules: [pods] }), {}, false],
    ['excluded without rules', { ...everything, excludeResourceRules: [pods] }, {}, false],
    ['another one excluded', makeRules({}, { excludeResourceRules: [{ ...pods, resourceNames: ['b'] }] }), {}, true],
    ['the namespace’s labels', makeRules({}, inProd), {}, true],
    [
      'other labels of the namespace',
      makeRules({}, { namespaceSelector: { matchLabels: { env: 'test' } } }),
      {},
      false,
    ],
    ['labels of no namespace', makeRules(nodes, inProd), clusterScoped, true],
    ['a Namespace by its own labels', makeRules({ resources: ['*'] }, inProd), ofNamespace, false],
    [
      'a Namespace that is deleted by those it has',
      makeRules({ resources: ['*'], operations: ['*'] }, inProd),
      { ...ofNamespace, operation: 'DELETE', object: null },
      true,
    ],
    ['the object’s labels', makeRules({}, ofTeam('x')), {}, true],
    ['other labels of the object', makeRules({}, ofTeam('y')), {}, false],
    [
      'the old object’s labels',
      makeRules({}, ofTeam('y')),
      { oldObject: { metadata: { labels: { team: 'y' } } } },
      true,
    ],
    ['only the old object', makeRules({}, ofTeam('x')), { object: null, oldObject: makeRequest().object }, true],
    ['an object without metadata', makeRules({}, ofTeam('x')), { object: { kind: 'X' } }, false],
    ['no object', makeRules({}, ofTeam('x')), { object: null }, false],
    ['no object and no selector', makeRules({}), { object: null }, true],
    ['an equivalent', makeRules({ apiGroups: ['core.bailiwick.dev'] }), { equivalents: [alias] }, true],
    [
      'an equivalent, exactly',
      makeRules({ apiGroups: ['core.bailiwick.dev'] }, { matchPolicy: 'Exact' }),
      { equivalents: [alias] },
      false,
    ],
    ['what a host converted', makeRules({}), converted, true],
    ['what a host converted, exactly', makeRules({}, { matchPolicy: 'Exact' }), converted, false],
  ])('%s', ([, match, changes, expected]) => {
    expect(matchRequest(match, makeRequest(changes), namespace).matches).toBe(expected);
  });

  it('says as what an equivalent matched', () => {
    const match = matchRequest(
      makeRules({ apiGroups: ['core.bailiwick.dev'] }),
      makeRequest({ equivalents: [alias] }),
      namespace,
    );
    expect(match).toEqual({ matches: true, as: alias });
  });

  it.for<[string, MatchResources, Partial<PolicyRequest>, string]>([
    ['rule', makeRules(nodes), { subresource: 'status' }, 'no rule matches CREATE of pods/status, version v1'],
    [
      'exclude rule',
      makeRules({}, { excludeResourceRules: [pods] }),
      {},
      'an exclude rule matches CREATE of pods, version v1',
    ],
    [
      'namespace',
      makeRules({}, { namespaceSelector: { matchLabels: { env: 'test' } } }),
      {},
      'the namespace does not match namespaceSelector env=test',
    ],
    ['object', makeRules({}, ofTeam('y')), {}, 'neither the new nor the old object matches objectSelector team=y'],
  ])('gives the first reason: %s', ([, match, changes, why]) => {
    expect(matchRequest(match, makeRequest(changes), namespace)).toEqual({ matches: false, why });
  });

  it('tells of a namespace that is not there, where it is asked for', () => {
    const fault = 'namespaces "ns" not found';
    expect(matchRequest(makeRules({}, inProd), makeRequest(), undefined)).toEqual({
      matches: false,
      why: fault,
      fault,
    });
    expect(matchRequest(makeRules({}), makeRequest(), undefined).matches).toBe(true);
    expect(matchRequest(makeRules(nodes, inProd), makeRequest(), undefined)).not.toHaveProperty('fault');
  });
});
