import { create, patch, read, remove, update, type DifferentialCase } from '../differential-case.ts';
import { collections, makeConfigMap } from './api-objects.ts';

const { configMaps, deployments, ingresses, limitRanges } = collections;
const authorization = '/apis/authorization.k8s.io/v1';
const authentication = '/apis/authentication.k8s.io/v1';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const bob = { headers: { 'impersonate-user': 'bob' } };
const rbacGroup = 'rbac.authorization.k8s.io';

function as(headers: Readonly<Record<string, string>>) {
  return { headers };
}

const impersonations: readonly Readonly<Record<string, string>>[] = [
  { 'impersonate-user': 'system:anonymous' },
  { 'impersonate-user': 'bob', 'impersonate-group': 'x' },
  { 'impersonate-user': 'bob', 'impersonate-group': 'system:unauthenticated' },
  { 'impersonate-user': 'system:serviceaccount:{{ns}}:default' },
  { 'impersonate-user': 'system:serviceaccount:a' },
  { 'impersonate-user': 'bob', 'impersonate-uid': 'u', 'impersonate-extra-scope': 's' },
  { 'impersonate-user': '' },
  { 'impersonate-group': 'x' },
  { 'impersonate-group': '<x>' },
  { 'impersonate-uid': 'x' },
  { 'impersonate-extra-foo': 'x' },
];

/** Who may do what: refusals by RBAC, impersonation, reviews. */
export const identityCases: readonly DifferentialCase[] = [
  {
    name: 'refused-by-rbac',
    steps: [
      ...[
        configMaps,
        `${configMaps}/a`,
        `${configMaps}?watch=1`,
        '/api/v1/nodes',
        '/api/v1/nodes/x',
        '/api/v1/configmaps',
      ],
      ...[
        `${ingresses}/i/status`,
        `${deployments}/d/scale`,
        '/apis/networking.k8s.io/v1/ingressclasses',
        '/foo',
        '/metrics',
      ],
      ...['/logs', '/', '/api/v1/foos', '/apis/foo/v1/bars', '/api/v1/namespaces/{{ns}}', '/healthz', '/api'],
    ]
      .map((path) => read(path, bob))
      .concat(
        create(configMaps, makeConfigMap('a'), bob),
        create(configMaps, 'nonsense', bob),
        update(`${configMaps}/a`, makeConfigMap('a'), bob),
        patch('merge', `${configMaps}/a`, {}, bob),
        remove(`${configMaps}/a`, undefined, bob),
        remove(configMaps, undefined, bob),
        create('/metrics', {}, bob),
        create('/api/v1/namespaces', { metadata: { name: 'q' } }, bob),
      ),
  },
  {
    name: 'impersonation',
    steps: [
      ...impersonations.map((headers) => read(`${configMaps}/none`, { headers })),
      read(`${configMaps}/none`, as({ 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' })),
      read('/api/v1/nodes?a=<b>&c=%20d', as({ 'impersonate-group': 'x' })),
    ],
  },
  {
    name: 'creating-by-update-needs-the-right',
    steps: [
      create(`${rbac}/namespaces/{{ns}}/roles`, {
        metadata: { name: 'r' },
        rules: [{ apiGroups: [''], resources: ['configmaps', 'limitranges'], verbs: ['update', 'patch'] }],
      }),
      create(`${rbac}/namespaces/{{ns}}/rolebindings`, {
        metadata: { name: 'r' },
        roleRef: { apiGroup: rbacGroup, kind: 'Role', name: 'r' },
        subjects: [{ apiGroup: rbacGroup, kind: 'User', name: 'ann' }],
      }),
      patch(
        'merge',
        `${configMaps}/none`,
        {},
        {
          ...as({ 'impersonate-user': 'ann', 'content-type': 'application/merge-patch+json' }),
          until: (body) => body.code === 404,
        },
      ),
      patch('apply', `${configMaps}/a?fieldManager=m`, makeConfigMap('a'), as({ 'impersonate-user': 'ann' })),
      update(
        `${limitRanges}/l`,
        { metadata: { name: 'l' }, spec: { limits: [{ type: 'Pod' }] } },
        as({ 'impersonate-user': 'ann' }),
      ),
      read(configMaps, as({ 'impersonate-user': 'ann' })),
      remove(`${configMaps}/a`, undefined, as({ 'impersonate-user': 'ann' })),
    ],
  },
  {
    name: 'access-reviews',
    steps: [
      ...[
        { resourceAttributes: { verb: 'get', resource: 'pods' } },
        {},
        { nonResourceAttributes: { verb: 'get', path: '/x' } },
        { resourceAttributes: { verb: 'get' }, nonResourceAttributes: { verb: 'get', path: '/x' } },
        { resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector: { rawSelector: 'a=b' } } },
        { resourceAttributes: { verb: 'list', labelSelector: { requirements: [{ key: 'a', operator: 'Foo' }] } } },
      ].flatMap((spec) => [
        create(`${authorization}/selfsubjectaccessreviews`, { spec }),
        create(`${authorization}/subjectaccessreviews`, { spec: { user: 'bob', ...spec } }),
        create(`${authorization}/subjectaccessreviews`, { spec }),
        create(`${authorization}/namespaces/{{ns}}/localsubjectaccessreviews`, { spec: { user: 'bob', ...spec } }),
      ]),
      create(`${authorization}/subjectaccessreviews`, {
        spec: { user: 'bob', groups: ['system:masters'], nonResourceAttributes: { verb: 'get', path: '/metrics' } },
      }),
      create(`${authorization}/namespaces/{{ns}}/localsubjectaccessreviews`, {
        spec: { user: 'bob', resourceAttributes: { namespace: 'other', verb: 'get', resource: 'pods' } },
      }),
      ...[{ kind: 'Foo' }, '', '[]', { spec: 1 }, { metadata: { name: 'x' }, spec: {} }].map((body) =>
        create(`${authorization}/selfsubjectaccessreviews`, body),
      ),
      create(`${authorization}/selfsubjectaccessreviews?dryRun=All`, { spec: { resourceAttributes: { verb: 'get' } } }),
      create(`${authorization}/selfsubjectaccessreviews?fieldValidation=Strict`, {
        spec: { resourceAttributes: { verb: 'get', foo: 1 } },
      }),
    ],
  },
  {
    name: 'token-reviews-and-requests',
    steps: [
      create(`${authentication}/tokenreviews`, { spec: { token: 'x' } }),
      create(`${authentication}/tokenreviews`, { spec: {} }),
      create(`${authentication}/selfsubjectreviews`, {}, bob),
      create('/api/v1/namespaces/{{ns}}/serviceaccounts/none/token', { spec: {} }),
      create('/api/v1/namespaces/{{ns}}/serviceaccounts/default/token', { spec: { expirationSeconds: 5 } }),
      create(
        '/api/v1/namespaces/{{ns}}/serviceaccounts/default/token',
        { spec: {} },
        { ignores: ['status', 'metadata.managedFields', 'spec.audiences', 'spec.boundObjectRef'] },
      ),
      read('/api/v1/namespaces/{{ns}}/serviceaccounts/default/token'),
    ],
  },
];
