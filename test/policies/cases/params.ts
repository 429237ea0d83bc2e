import {
  configMaps,
  create,
  makeBinding,
  makePolicy,
  ruleFor,
  type PlacedObject,
  type PolicyScenario,
  type ScenarioRequest,
  scenarioNamespace,
} from '../scenario.ts';

const configMapKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const classKind = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' };

/** Params in namespaces and outside of them, each with the label `params`. */
const params: readonly PlacedObject[] = [
  ...(
    [
      [scenarioNamespace, 'limits', { max: '5' }, { params: 'one' }],
      [scenarioNamespace, 'many-a', { max: '5' }, { params: 'many' }],
      [scenarioNamespace, 'many-b', { max: '9' }, { params: 'many' }],
      ['policies-other', 'limits', { max: '3' }, { params: 'one' }],
      ['policies-other', 'elsewhere', { max: '1' }, { params: 'elsewhere' }],
    ] as const
  ).map(([namespace, name, data, labels]) => ({
    collection: configMaps(namespace),
    object: { ...configMapKind, metadata: { name, labels }, data },
  })),
  ...(
    [
      ['limit-low', 3],
      ['limit-high', 9],
    ] as const
  ).map(([name, value]) => ({
    collection: '/apis/scheduling.k8s.io/v1/priorityclasses',
    object: { ...classKind, metadata: { name, labels: { params: 'class' } }, value },
  })),
];

const byMap = {
  expression: 'int(object.data.number) <= int(params.data.max)',
  messageExpression: "'at most ' + params.data.max",
};
const byClass = {
  expression: 'int(object.data.number) <= params.value',
  messageExpression: "'at most ' + string(params.value)",
};
const ref = (more: Record<string, unknown>, parameterNotFoundAction = 'Deny') => ({
  paramRef: { ...more, parameterNotFoundAction },
});

interface ParamRow {
  readonly name: string;
  readonly spec: Record<string, unknown>;
  readonly binding: Record<string, unknown>;
  readonly isUnordered?: boolean;
}

const rows: readonly ParamRow[] = [
  { name: 'name', spec: { paramKind: configMapKind, validations: [byMap] }, binding: ref({ name: 'limits' }) },
  {
    name: 'name-namespace',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({ name: 'limits', namespace: 'policies-other' }),
  },
  {
    name: 'name-elsewhere',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({ name: 'elsewhere' }),
  },
  { name: 'missing-deny', spec: { paramKind: configMapKind, validations: [byMap] }, binding: ref({ name: 'none' }) },
  {
    name: 'missing-allow',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({ name: 'none' }, 'Allow'),
  },
  {
    name: 'missing-ignore',
    spec: { failurePolicy: 'Ignore', paramKind: configMapKind, validations: [byMap] },
    binding: ref({ name: 'none' }),
  },
  {
    name: 'missing-namespace',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({ name: 'limits', namespace: 'no-such' }),
  },
  {
    name: 'selector',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({ selector: { matchLabels: { params: 'one' } } }),
  },
  {
    name: 'selector-many',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({ selector: { matchLabels: { params: 'many' } } }),
    isUnordered: true,
  },
  {
    name: 'selector-all',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({ selector: {}, namespace: 'policies-other' }),
    isUnordered: true,
  },
  {
    name: 'selector-expression',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({
      selector: { matchExpressions: [{ key: 'params', operator: 'In', values: ['elsewhere', 'x'] }] },
      namespace: 'policies-other',
    }),
  },
  {
    name: 'selector-none-deny',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({ selector: { matchLabels: { params: 'none' } } }),
  },
  {
    name: 'selector-none-allow',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: ref({ selector: { matchLabels: { params: 'none' } } }, 'Allow'),
  },
  { name: 'class', spec: { paramKind: classKind, validations: [byClass] }, binding: ref({ name: 'limit-low' }) },
  { name: 'class-missing', spec: { paramKind: classKind, validations: [byClass] }, binding: ref({ name: 'none' }) },
  {
    name: 'class-selector',
    spec: { paramKind: classKind, validations: [byClass] },
    binding: ref({ selector: { matchLabels: { params: 'class' } } }),
    isUnordered: true,
  },
  {
    name: 'class-namespace',
    spec: { paramKind: classKind, validations: [byClass] },
    binding: ref({ name: 'limit-low', namespace: scenarioNamespace }),
  },
  {
    name: 'class-namespace-ignore',
    spec: { failurePolicy: 'Ignore', paramKind: classKind, validations: [byClass] },
    binding: ref({ name: 'limit-low', namespace: scenarioNamespace }),
  },
  {
    name: 'no-ref',
    spec: { paramKind: configMapKind, validations: [{ expression: 'params != null', message: 'params are null' }] },
    binding: {},
  },
  { name: 'no-ref-error', spec: { paramKind: configMapKind, validations: [byMap] }, binding: {} },
  {
    name: 'no-kind',
    spec: { validations: [{ expression: "object.data.number != '7'" }] },
    binding: ref({ name: 'none' }),
  },
  {
    name: 'unknown-kind',
    spec: { paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' }, validations: [{ expression: 'true' }] },
    binding: ref({ name: 'a' }),
  },
  {
    name: 'unknown-kind-ignore',
    spec: {
      failurePolicy: 'Ignore',
      paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' },
      validations: [{ expression: 'true' }],
    },
    binding: ref({ name: 'a' }),
  },
  {
    name: 'condition',
    spec: {
      paramKind: configMapKind,
      matchConditions: [{ name: 'big', expression: "params.data.max == '5'" }],
      validations: [byMap],
    },
    binding: ref({ name: 'limits' }),
  },
  {
    name: 'annotation',
    spec: { paramKind: configMapKind, auditAnnotations: [{ key: 'max', valueExpression: "'max ' + params.data.max" }] },
    binding: ref({ selector: { matchLabels: { params: 'many' } } }),
    isUnordered: true,
  },
  {
    name: 'variable',
    spec: {
      paramKind: configMapKind,
      variables: [{ name: 'max', expression: 'int(params.data.max)' }],
      validations: [
        { expression: 'int(object.data.number) <= variables.max', messageExpression: 'string(variables.max)' },
      ],
    },
    binding: ref({ name: 'limits' }),
  },
  {
    name: 'meta',
    spec: {
      paramKind: configMapKind,
      validations: [
        {
          expression: "params.kind == 'X'",
          messageExpression:
            "params.apiVersion + ' ' + params.kind + ' ' + params.metadata.namespace + '/' + params.metadata.name + ' ' + params.metadata.labels.params",
        },
      ],
    },
    binding: ref({ name: 'limits' }),
  },
  {
    name: 'warn-many',
    spec: { paramKind: configMapKind, validations: [{ ...byMap, expression: 'false' }] },
    binding: { ...ref({ selector: { matchLabels: { params: 'many' } } }), validationActions: ['Warn', 'Audit'] },
    isUnordered: true,
  },
  {
    name: 'missing-warn',
    spec: { paramKind: configMapKind, validations: [byMap] },
    binding: { ...ref({ name: 'none' }), validationActions: ['Deny', 'Audit'] },
  },
];

/** A misconfigured policy refuses whatever it matches, bound or not. */
function onlyFor(name: string): Record<string, unknown> {
  return { resourceRules: [ruleFor('', 'configmaps')], objectSelector: { matchLabels: { case: name } } };
}

function makeRequests(name: string): ScenarioRequest[] {
  return ['4', '7'].map((number) => create(name, `${name}-${number}`, { number }));
}

/** Params by name and by selector, in namespaces and outside, present and missing. */
export const paramScenarios: readonly PolicyScenario[] = [
  ...rows.map(({ name: suffix, spec, binding, isUnordered }) => {
    const name = `param-${suffix}`;
    return {
      name,
      setup: params,
      policies: [makePolicy(name, { matchConstraints: onlyFor(name), ...spec })],
      bindings: [makeBinding(name, name, binding)],
      requests: makeRequests(name),
      ...(isUnordered === true ? { isUnordered } : {}),
    };
  }),
  {
    name: 'param-cluster-object',
    setup: params,
    policies: [
      makePolicy('param-cluster-object', {
        paramKind: configMapKind,
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['scheduling.k8s.io'],
              apiVersions: ['v1'],
              operations: ['CREATE'],
              resources: ['priorityclasses'],
            },
          ],
        },
        validations: [{ expression: 'object.value <= int(params.data.max)' }],
      }),
    ],
    bindings: [makeBinding('param-cluster-object', 'param-cluster-object', ref({ name: 'limits' }))],
    requests: [
      {
        method: 'POST',
        path: '/apis/scheduling.k8s.io/v1/priorityclasses',
        body: {
          ...classKind,
          metadata: { name: 'param-cluster-object', labels: { case: 'param-cluster-object' } },
          value: 4,
        },
      },
    ],
  },
  {
    name: 'param-two-bindings',
    setup: params,
    policies: [
      makePolicy('param-two-bindings', {
        paramKind: configMapKind,
        validations: [byMap],
        auditAnnotations: [{ key: 'max', valueExpression: "'max ' + params.data.max" }],
      }),
    ],
    bindings: [
      makeBinding('param-two-bindings', 'param-two-bindings', ref({ name: 'many-a' }), 'param-two-bindings-a'),
      makeBinding(
        'param-two-bindings',
        'param-two-bindings',
        { ...ref({ name: 'many-b' }), validationActions: ['Audit'] },
        'param-two-bindings-b',
      ),
    ],
    requests: makeRequests('param-two-bindings'),
    isUnordered: true,
  },
];
