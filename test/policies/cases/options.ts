import {
  configMap,
  configMaps,
  create,
  type PlacedObject,
  type PolicyScenario,
  ruleFor,
  scenario,
  type ScenarioRequest,
  scenarioNamespace,
} from '../scenario.ts';

const merge = { 'content-type': 'application/merge-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const namespacePath = `/api/v1/namespaces/${scenarioNamespace}`;
const pods = `${namespacePath}/pods`;

/** Pods run as somebody; nothing of a token is put into them. */
const account: PlacedObject = {
  collection: `${namespacePath}/serviceaccounts`,
  object: {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
    automountServiceAccountToken: false,
  },
};

function pod(scenarioName: string, name: string, spec: object = {}): Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { case: scenarioName } },
    spec: { containers: [{ name: 'a', image: 'a:1' }], ...spec },
  };
}

/** Warns of everything, and tells of it what an expression says. */
function tell(
  name: string,
  messageExpression: string,
  rule: object,
  more: { readonly setup?: readonly PlacedObject[]; readonly requests: readonly ScenarioRequest[] },
): PolicyScenario {
  return scenario(
    name,
    { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false', messageExpression }] },
    { ...more, binding: { validationActions: ['Warn'] } },
  );
}

const options = "'%s %s'.format([request.operation, dyn(request.options)])";
const of = (path: string, method: ScenarioRequest['method'] = 'DELETE', body?: unknown): ScenarioRequest => ({
  method,
  path,
  ...(body === undefined ? {} : { body }),
});

/** The options of each operation, as policies see them. */
export const optionScenarios: readonly PolicyScenario[] = [
  tell('options-write', options, ruleFor('', 'configmaps'), {
    requests: [
      create('options-write', 'options-write'),
      create('options-write', 'options-dry', {}, { path: `${configMaps()}?dryRun=All&fieldManager=me` }),
      create('options-write', 'options-strict', {}, { path: `${configMaps()}?fieldValidation=Strict` }),
      {
        ...of(`${configMaps()}/options-write?fieldManager=you`, 'PATCH', { data: { a: 'b' } }),
        headers: merge,
      },
      {
        ...of(
          `${configMaps()}/options-write?fieldManager=her&force=true`,
          'PATCH',
          configMap('options-write', 'options-write', { a: 'c' }),
        ),
        headers: apply,
      },
      of(`${configMaps()}/options-write`, 'PUT', configMap('options-write', 'options-write')),
    ],
  }),
  tell('options-delete', options, ruleFor('', 'configmaps', ['DELETE']), {
    setup: ['a', 'b', 'c', 'd'].map((name) => ({
      collection: configMaps(),
      object: configMap('options-delete', `options-delete-${name}`),
    })),
    requests: [
      of(`${configMaps()}/options-delete-a?dryRun=All`),
      of(`${configMaps()}/options-delete-a`),
      of(`${configMaps()}/options-delete-b?gracePeriodSeconds=-5&propagationPolicy=Background`),
      of(`${configMaps()}/options-delete-c`, 'DELETE', {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 3,
        orphanDependents: false,
      }),
      of(`${configMaps()}?labelSelector=case%3Doptions-delete&gracePeriodSeconds=7`),
    ],
  }),
  tell('options-pod', options, ruleFor('', 'pods', ['DELETE']), {
    setup: [
      account,
      { collection: pods, object: pod('options-pod', 'options-pod-waits', { terminationGracePeriodSeconds: 20 }) },
      {
        collection: pods,
        object: pod('options-pod', 'options-pod-runs', { nodeName: 'n', terminationGracePeriodSeconds: 20 }),
      },
    ],
    requests: [
      of(`${pods}/options-pod-waits?dryRun=All`),
      of(`${pods}/options-pod-waits?gracePeriodSeconds=9`),
      of(`${pods}/options-pod-runs?dryRun=All&gracePeriodSeconds=-1`),
      of(`${pods}/options-pod-runs`),
      of(`${pods}/options-pod-runs`),
      of(`${pods}/options-pod-runs?gracePeriodSeconds=20`),
      of(`${pods}/options-pod-runs?gracePeriodSeconds=5`),
      of(`${pods}/options-pod-runs?gracePeriodSeconds=0`),
    ],
  }),
];

const whole =
  "'%s %s %s/%s %s %s'.format([request.operation, request.kind.kind, request.resource.resource, request.subResource, request.name, object == null ? 'none' : string(object.kind)])";

function ruleForName(group: string, resource: string, name: string): Record<string, unknown> {
  return { ...ruleFor(group, resource), resourceNames: [name] };
}

/** A scenario whose requests carry no labels of their own. */
function unlabelled(name: string, rule: object, requests: readonly ScenarioRequest[]): PolicyScenario {
  return scenario(
    name,
    {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'false', messageExpression: whole }],
    },
    {
      binding: { matchResources: undefined },
      setup: [account, { collection: pods, object: pod('none', name) }],
      requests,
    },
  );
}

/** Subresources, by their names and by wildcards. */
export const subresourceScenarios: readonly PolicyScenario[] = [
  unlabelled('sub-status', ruleForName('', 'pods/status', 'sub-status'), [
    { ...of(`${pods}/sub-status`, 'PATCH', { metadata: { labels: { a: 'b' } } }), headers: merge },
    { ...of(`${pods}/sub-status/status`, 'PATCH', { status: { reason: 'x' } }), headers: merge },
  ]),
  unlabelled('sub-every', ruleForName('', 'pods/*', 'sub-every'), [
    { ...of(`${pods}/sub-every`, 'PATCH', { metadata: { labels: { a: 'b' } } }), headers: merge },
    { ...of(`${pods}/sub-every/status`, 'PATCH', { status: { reason: 'x' } }), headers: merge },
    of(`${pods}/sub-every/eviction`, 'POST', {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'sub-every' },
    }),
    of(`${pods}/sub-every/binding`, 'POST', {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'sub-every' },
      target: { kind: 'Node', name: 'n' },
    }),
    {
      ...of(`${pods}/sub-every/ephemeralcontainers`, 'PATCH', {
        spec: { ephemeralContainers: [{ name: 'e', image: 'e:1' }] },
      }),
      headers: strategic,
    },
    of(`${pods}/sub-every`),
  ]),
  unlabelled('sub-named', ruleForName('', '*/eviction', 'sub-named'), [
    { ...of(`${pods}/sub-named/status`, 'PATCH', { status: { reason: 'x' } }), headers: merge },
    of(`${pods}/sub-named/eviction?dryRun=All`, 'POST', {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'sub-named', labels: { any: 'thing' } },
      deleteOptions: { gracePeriodSeconds: 3 },
    }),
  ]),
  unlabelled('sub-token', ruleForName('', 'serviceaccounts/token', 'default'), [
    of(`${namespacePath}/serviceaccounts/default/token`, 'POST', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['a'], expirationSeconds: 600 },
    }),
  ]),
];

const namespaces = '/api/v1/namespaces';
const labelled = (name: string, value: string): PlacedObject => ({
  collection: namespaces,
  object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { selected: value } } },
});
const relabel = (name: string, value: string): ScenarioRequest => ({
  ...of(`${namespaces}/${name}?dryRun=All`, 'PATCH', { metadata: { labels: { selected: value } } }),
  headers: merge,
});

/** Which labels of a Namespace a namespaceSelector asks: the new ones where it is written, the stored ones otherwise. */
export const namespaceScenarios: readonly PolicyScenario[] = [
  scenario(
    'namespace-itself',
    {
      matchConstraints: {
        namespaceSelector: { matchLabels: { selected: 'yes' } },
        resourceRules: [{ ...ruleFor('', 'namespaces'), resources: ['namespaces', 'namespaces/status', 'configmaps'] }],
      },
      validations: [
        {
          expression: 'false',
          messageExpression:
            "'%s %s [%s] %s'.format([request.operation, request.name, request.namespace, namespaceObject == null])",
        },
      ],
    },
    {
      binding: { matchResources: undefined },
      setup: [labelled('namespace-yes', 'no'), labelled('namespace-no', 'no')],
      requests: [
        of(namespaces, 'POST', { metadata: { name: 'namespace-new', labels: { selected: 'yes' } } }),
        of(`${namespaces}?dryRun=All`, 'POST', { metadata: { name: 'namespace-new', labels: { selected: 'no' } } }),
        relabel('namespace-no', 'yes'),
        relabel('namespace-no', 'other'),
        of(`${namespaces}/namespace-no?dryRun=All`),
        {
          ...of(`${namespaces}/namespace-no/status?dryRun=All`, 'PATCH', {
            status: { conditions: [{ type: 'X', status: 'True' }] },
          }),
          headers: merge,
        },
        of(configMaps('namespace-no'), 'POST', configMap('none', 'a')),
        of(configMaps('namespace-absent'), 'POST', configMap('none', 'a')),
      ],
    },
  ),
];

const long = (text: string, times: number) => ({ expression: 'false', messageExpression: `'${text.repeat(times)}'` });

/** Warnings that are too long together. */
export const warningScenarios: readonly PolicyScenario[] = (
  [
    ['long', [long('a', 3000), long('b', 3000), { expression: 'false', message: 'c' }]],
    ['unicode', [long('é', 2000), long('😀', 1000), { expression: 'false', message: 'short' }]],
    [
      'many',
      Array.from({ length: 60 }, (_, index) => ({ expression: 'false', message: `${index} ${'z'.repeat(100)}` })),
    ],
    [
      'repeated',
      [
        { expression: 'false', message: 'the same' },
        { expression: 'false', message: 'the same' },
      ],
    ],
  ] as const
).map(([suffix, validations]) =>
  scenario(`warnings-${suffix}`, { validations }, { binding: { validationActions: ['Warn'] } }),
);
