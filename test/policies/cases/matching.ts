import {
  configMap,
  configMaps,
  create,
  makePolicy,
  type PolicyScenario,
  ruleFor,
  scenario,
  type ScenarioRequest,
  scenarioNamespace,
} from '../scenario.ts';

const denied = [{ expression: 'false', message: 'matched' }];
const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';

function priorityClass(scenarioName: string, name: string): Record<string, unknown> {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name, labels: { case: scenarioName } },
    value: 1,
  };
}

/** One request each for objects in a namespace, outside of any, and for a namespace. */
function makeRequests(name: string): ScenarioRequest[] {
  return [
    create(name, `${name}-a`),
    { method: 'POST', path: configMaps('policies-other'), body: configMap(name, `${name}-b`) },
    { method: 'POST', path: classes, body: priorityClass(name, `${name}-c`) },
    {
      method: 'POST',
      path: '/api/v1/namespaces',
      body: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: `${name}-d`, labels: { case: name, team: 'red' } },
      },
    },
  ];
}

const every = ['configmaps', 'priorityclasses', 'namespaces'];
const broad = { apiGroups: ['', 'scheduling.k8s.io'], apiVersions: ['*'], operations: ['CREATE'], resources: every };

const constraints: readonly (readonly [name: string, constraints: Record<string, unknown>])[] = [
  ['broad', { resourceRules: [broad] }],
  ['all-resources', { resourceRules: [{ ...broad, apiGroups: ['*'], resources: ['*'] }] }],
  ['all-and-sub', { resourceRules: [{ ...broad, apiGroups: ['*'], resources: ['*/*'] }] }],
  ['other-group', { resourceRules: [{ ...broad, apiGroups: ['apps'] }] }],
  ['core-only', { resourceRules: [{ ...broad, apiGroups: [''] }] }],
  ['other-version', { resourceRules: [{ ...broad, apiVersions: ['v2'] }] }],
  ['exact', { resourceRules: [{ ...broad, apiVersions: ['v1'] }], matchPolicy: 'Exact' }],
  ['exact-other-version', { resourceRules: [{ ...broad, apiVersions: ['v1beta1'] }], matchPolicy: 'Exact' }],
  ['other-operation', { resourceRules: [{ ...broad, operations: ['UPDATE', 'DELETE', 'CONNECT'] }] }],
  ['any-operation', { resourceRules: [{ ...broad, operations: ['*'] }] }],
  ['scope-cluster', { resourceRules: [{ ...broad, scope: 'Cluster' }] }],
  ['scope-namespaced', { resourceRules: [{ ...broad, scope: 'Namespaced' }] }],
  ['scope-any', { resourceRules: [{ ...broad, scope: '*' }] }],
  ['two-rules', { resourceRules: [ruleFor('', 'namespaces'), ruleFor('scheduling.k8s.io', 'priorityclasses')] }],
  ['names', { resourceRules: [{ ...broad, resourceNames: ['match-names-a', 'match-names-d'] }] }],
  ['exclude', { resourceRules: [broad], excludeResourceRules: [ruleFor('', 'configmaps')] }],
  [
    'exclude-names',
    {
      resourceRules: [broad],
      excludeResourceRules: [{ ...ruleFor('', 'configmaps'), resourceNames: ['match-exclude-names-a'] }],
    },
  ],
  ['exclude-all', { resourceRules: [broad], excludeResourceRules: [{ ...ruleFor('*', '*'), operations: ['*'] }] }],
  [
    'exclude-operation',
    { resourceRules: [broad], excludeResourceRules: [{ ...ruleFor('*', '*'), operations: ['UPDATE'] }] },
  ],
  ['namespace-labels', { resourceRules: [broad], namespaceSelector: { matchLabels: { team: 'blue' } } }],
  ['namespace-own-labels', { resourceRules: [broad], namespaceSelector: { matchLabels: { team: 'red' } } }],
  [
    'namespace-in',
    {
      resourceRules: [broad],
      namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['blue', 'x'] }] },
    },
  ],
  [
    'namespace-not-in',
    {
      resourceRules: [broad],
      namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['blue'] }] },
    },
  ],
  [
    'namespace-absent',
    { resourceRules: [broad], namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] } },
  ],
  ['namespace-empty', { resourceRules: [broad], namespaceSelector: {} }],
  ['object-labels', { resourceRules: [broad], objectSelector: { matchLabels: { team: 'red' } } }],
  [
    'object-absent',
    { resourceRules: [broad], objectSelector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] } },
  ],
  ['object-empty', { resourceRules: [broad], objectSelector: {} }],
];

/** Which requests a policy is for. */
export const constraintScenarios: readonly PolicyScenario[] = constraints.map(([suffix, matchConstraints]) => {
  const name = `match-${suffix}`;
  return scenario(name, { matchConstraints, validations: denied }, { requests: makeRequests(name) });
});

const own = (name: string) => ({ objectSelector: { matchLabels: { case: name } } });

/** Which of a policy's requests a binding is for. */
export const bindingScenarios: readonly PolicyScenario[] = (
  [
    ['rules', { resourceRules: [ruleFor('', 'configmaps')] }],
    ['rules-other', { resourceRules: [ruleFor('', 'secrets')] }],
    ['rules-broader', { resourceRules: [{ ...ruleFor('*', '*'), operations: ['*'] }] }],
    ['exclude', { excludeResourceRules: [ruleFor('', 'configmaps')] }],
    ['names', { resourceRules: [{ ...ruleFor('', 'configmaps'), resourceNames: ['bound-names-a'] }] }],
    ['namespace', { namespaceSelector: { matchLabels: { team: 'blue' } } }],
    ['namespace-none', { namespaceSelector: { matchLabels: { team: 'none' } } }],
    ['scope', { resourceRules: [{ ...ruleFor('*', '*'), scope: 'Cluster' }] }],
  ] as const
).map(([suffix, matchResources]) => {
  const name = `bound-${suffix}`;
  return scenario(
    name,
    { matchConstraints: { resourceRules: [broad] }, validations: denied },
    { binding: { matchResources: { ...own(name), ...matchResources } }, requests: makeRequests(name) },
  );
});

const labelled = (value: string) => configMap('select-update', 'select-update', {}, { gate: value });

/** Selectors see the old object and the new one, and nothing where there are no labels. */
export const selectorScenarios: readonly PolicyScenario[] = [
  {
    name: 'select-update',
    setup: [
      { collection: configMaps(), object: labelled('closed') },
      { collection: configMaps(), object: configMap('select-update', 'select-open', {}, { gate: 'open' }) },
    ],
    policies: [
      makePolicy('select-update', {
        validations: [{ expression: "request.operation == 'UPDATE' && has(object.data.ok)", message: 'matched' }],
      }),
    ],
    bindings: [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'select-update' },
        spec: {
          policyName: 'select-update',
          validationActions: ['Deny'],
          matchResources: { objectSelector: { matchLabels: { gate: 'closed', case: 'select-update' } } },
        },
      },
    ],
    requests: [
      { method: 'PUT', path: `${configMaps()}/select-update`, body: labelled('open') },
      {
        method: 'PUT',
        path: `${configMaps()}/select-open`,
        body: configMap('select-update', 'select-open', {}, { gate: 'closed' }),
      },
      {
        method: 'PUT',
        path: `${configMaps()}/select-open`,
        body: configMap('select-update', 'select-open', { a: 'b' }, { gate: 'open' }),
      },
      { method: 'DELETE', path: `${configMaps()}/select-update` },
      { method: 'DELETE', path: `${configMaps()}/select-open` },
    ],
  },
  {
    name: 'never-policies',
    policies: [
      makePolicy('never-policies', {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*', '*/*'].slice(0, 1) },
          ],
        },
        validations: denied,
      }),
    ],
    bindings: [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'never-policies' },
        spec: {
          policyName: 'never-policies',
          validationActions: ['Deny'],
          matchResources: { objectSelector: { matchLabels: { never: 'policies' } } },
        },
      },
    ],
    requests: [
      {
        method: 'POST',
        path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
        body: {
          ...makePolicy('never-made', { validations: denied }),
          metadata: { name: 'never-made', labels: { never: 'policies' } },
        },
      },
      {
        method: 'POST',
        path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
        body: {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicyBinding',
          metadata: { name: 'never-made', labels: { never: 'policies' } },
          spec: { policyName: 'no-such-policy', validationActions: ['Deny'] },
        },
      },
      {
        method: 'POST',
        path: `/api/v1/namespaces/${scenarioNamespace}/secrets`,
        body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'never', labels: { never: 'policies' } } },
      },
    ],
  },
];
