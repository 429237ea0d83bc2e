import {
  configMap,
  configMaps,
  create,
  type PolicyScenario,
  scenario,
  type ScenarioRequest,
  scenarioNamespace,
} from '../scenario.ts';

const tell = (messageExpression: string) => ({ validations: [{ expression: 'false', messageExpression }] });
const deployments = `/apis/apps/v1/namespaces/${scenarioNamespace}/deployments`;

function deployment(scenarioName: string, name: string, replicas: number): Record<string, unknown> {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { case: scenarioName } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
    },
  };
}

const dryRun = { headers: {}, query: '?dryRun=All&fieldManager=me&fieldValidation=Strict' };

const told: readonly (readonly [name: string, expression: string])[] = [
  ['kind', "request.kind.group + '|' + request.kind.version + '|' + request.kind.kind"],
  ['resource', "request.resource.group + '|' + request.resource.version + '|' + request.resource.resource"],
  ['request-kind', "request.requestKind.group + '|' + request.requestKind.version + '|' + request.requestKind.kind"],
  ['request-resource', "request.requestResource.version + '|' + request.requestResource.resource"],
  ['subresource', "'[' + request.subResource + request.requestSubResource + ']'"],
  ['has-subresource', 'string(has(request.subResource)) + string(has(request.requestSubResource))'],
  ['name', "request.name + '|' + request.namespace + '|' + request.operation"],
  ['user', "request.userInfo.username + '|' + request.userInfo.groups.join(',')"],
  ['user-extra', 'string(has(request.userInfo.extra)) + string(has(request.userInfo.uid))'],
  ['options', "request.options.kind + '|' + request.options.apiVersion + '|' + string(has(request.options.dryRun))"],
  ['dry', 'string(has(request.dryRun)) + string(request.?dryRun.orValue(false))'],
  ['object', "object.apiVersion + '|' + object.kind + '|' + object.metadata.namespace + '|' + object.metadata.name"],
  ['old-object', 'string(oldObject == null)'],
  [
    'namespace-object',
    'namespaceObject.metadata.name + string(namespaceObject.metadata.labels.size()) + namespaceObject.spec.finalizers[0] + namespaceObject.status.phase',
  ],
  [
    'namespace-meta',
    'string(has(namespaceObject.metadata.generateName)) + string(has(namespaceObject.metadata.annotations)) + string(has(namespaceObject.metadata.labels.none))',
  ],
  ['size', "string(size(object.data)) + '|' + string(size(object.metadata.labels))"],
  ['data', "object.data.map(k, k == 'key', k + '=' + object.data[k]).join(',')"],
];

/** What expressions read of the request, its object and its namespace. */
export const requestScenarios: readonly PolicyScenario[] = told.flatMap(([suffix, expression]) => {
  const name = `tell-${suffix}`;
  return scenario(name, tell(expression), {
    requests: [
      create(name, `${name}-a`, { key: 'value', number: '7' }),
      create(name, `${name}-b`, {}, { path: `${configMaps()}${dryRun.query}` }),
    ],
  });
});

const whole =
  "request.operation + ' ' + request.name + ' ' + string(object == null) + string(oldObject == null) + ' ' + request.options.kind";

/** Updates, deletions, patches, applies, subresources. */
export const operationScenarios: readonly PolicyScenario[] = [
  scenario(
    'operation-changes',
    tell(
      `${whole} + (object == null ? '' : '|' + object.data.key) + (oldObject == null ? '' : '|' + oldObject.data.key)`,
    ),
    {
      setup: [
        { collection: configMaps(), object: configMap('operation-changes', 'operation-changes', { key: 'old' }) },
      ],
      requests: [
        {
          method: 'PUT',
          path: `${configMaps()}/operation-changes`,
          body: configMap('operation-changes', 'operation-changes', { key: 'new' }),
        },
        {
          method: 'PATCH',
          path: `${configMaps()}/operation-changes`,
          body: { data: { key: 'merged' } },
          headers: { 'content-type': 'application/merge-patch+json' },
        },
        {
          method: 'PATCH',
          path: `${configMaps()}/operation-changes`,
          body: [{ op: 'replace', path: '/data/key', value: 'replaced' }],
          headers: { 'content-type': 'application/json-patch+json' },
        },
        {
          method: 'PATCH',
          path: `${configMaps()}/operation-changes?fieldManager=me&force=true`,
          body: configMap('operation-changes', 'operation-changes', { key: 'applied' }),
          headers: { 'content-type': 'application/apply-patch+yaml' },
        },
        {
          method: 'PATCH',
          path: `${configMaps()}/operation-applied?fieldManager=me`,
          body: configMap('operation-changes', 'operation-applied', { key: 'applied' }),
          headers: { 'content-type': 'application/apply-patch+yaml' },
        },
        { method: 'DELETE', path: `${configMaps()}/operation-changes` },
        { method: 'DELETE', path: `${configMaps()}/operation-changes?dryRun=All&gracePeriodSeconds=3` },
        { method: 'DELETE', path: `${configMaps()}?labelSelector=case%3Doperation-changes` },
        { method: 'DELETE', path: `${configMaps()}/operation-missing` },
      ],
    },
  ),
  scenario(
    'operation-generated',
    tell(
      "string(request.name.startsWith('generated-')) + '|' + object.metadata.generateName + '|' + string(has(object.metadata.name))",
    ),
    {
      requests: [
        {
          method: 'POST',
          path: configMaps(),
          body: {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { generateName: 'generated-', labels: { case: 'operation-generated' } },
          },
        },
      ],
    },
  ),
  scenario(
    'operation-deployment',
    {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['apps'],
            apiVersions: ['v1'],
            operations: ['*'],
            resources: ['deployments', 'deployments/scale', 'deployments/status'],
          },
        ],
      },
      validations: [
        {
          expression: '!has(object.spec.replicas) || object.spec.replicas <= 5',
          messageExpression:
            "request.kind.kind + ' ' + request.kind.group + ' ' + request.resource.resource + ' ' + request.subResource + ' ' + string(object.spec.replicas)",
        },
        { expression: "request.subResource != 'status'", message: 'no status' },
      ],
    },
    {
      binding: {
        matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scenarioNamespace } } },
      },
      setup: [{ collection: deployments, object: deployment('operation-deployment', 'web', 1) }],
      requests: [
        { method: 'POST', path: deployments, body: deployment('operation-deployment', 'big', 6) },
        { method: 'POST', path: `${deployments}?dryRun=All`, body: deployment('operation-deployment', 'small', 5) },
        ...[3, 9].map((replicas) => ({
          method: 'PATCH' as const,
          path: `${deployments}/web/scale`,
          body: { spec: { replicas } },
          headers: { 'content-type': 'application/merge-patch+json' },
        })),
        {
          method: 'PATCH',
          path: `${deployments}/web/status`,
          body: { status: { observedGeneration: 1 } },
          headers: { 'content-type': 'application/merge-patch+json' },
        },
        {
          method: 'PATCH',
          path: `${deployments}/web`,
          body: { spec: { replicas: 8 } },
          headers: { 'content-type': 'application/strategic-merge-patch+json' },
        },
      ],
    },
  ),
];

const asJane = (name: string, suffix: string): ScenarioRequest =>
  create(name, `${name}-${suffix}`, {}, { headers: { 'impersonate-user': 'jane', 'impersonate-group': 'ops' } });

const asked: readonly (readonly [name: string, expression: string])[] = [
  ['get', "authorizer.group('').resource('configmaps').namespace('policies').check('get').allowed()"],
  ['get-elsewhere', "authorizer.group('').resource('configmaps').namespace('policies-other').check('get').allowed()"],
  ['get-name', "authorizer.group('').resource('secrets').namespace('policies').name('mine').check('get').allowed()"],
  [
    'get-other-name',
    "authorizer.group('').resource('secrets').namespace('policies').name('yours').check('get').allowed()",
  ],
  [
    'subresource',
    "authorizer.group('apps').resource('deployments').subresource('scale').namespace('policies').check('update').allowed()",
  ],
  ['all-namespaces', "authorizer.group('').resource('configmaps').check('get').allowed()"],
  ['path', "authorizer.path('/metrics').check('get').allowed()"],
  ['open-path', "authorizer.path('/version').check('get').allowed()"],
  [
    'account',
    "authorizer.serviceAccount('policies', 'robot').group('').resource('configmaps').namespace('policies').check('get').allowed()",
  ],
  ['request-create', "authorizer.requestResource.check('create').allowed()"],
  ['request-delete', "authorizer.requestResource.check('delete').allowed()"],
  ['request-custom', "authorizer.requestResource.check('override').allowed()"],
  ['errored', "authorizer.requestResource.check('create').errored()"],
  ['reason', "authorizer.requestResource.check('create').reason() == ''"],
  ['error', "authorizer.requestResource.check('create').error() == ''"],
  ['bad-account', "authorizer.serviceAccount('policies', 'Not_A_Name').path('/x').check('get').allowed()"],
  [
    'label-selector',
    "authorizer.group('').resource('configmaps').namespace('policies').labelSelector('a=b').check('list').allowed()",
  ],
  ['empty-path', "authorizer.path('').check('get').allowed()"],
];

/** What `authorizer` says to an administrator and to somebody who may do little. */
export const authorizerScenarios: readonly PolicyScenario[] = asked.map(([suffix, expression]) => {
  const name = `may-${suffix}`;
  return scenario(
    name,
    { validations: [{ expression, message: 'may not' }] },
    { requests: [create(name, `${name}-a`), asJane(name, 'b')] },
  );
});
