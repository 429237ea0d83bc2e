import { makeBinding, makePolicy, type PolicyScenario, type ScenarioRequest } from '../scenario.ts';

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';

const validate = (expression: string, more: Readonly<Record<string, unknown>> = {}) => ({
  validations: [{ expression, ...more }],
});
const configMapKind = { apiVersion: 'v1', kind: 'ConfigMap' };

/** Specs of policies, most of which are refused. */
const specs: readonly (readonly [name: string, spec: Readonly<Record<string, unknown>>])[] = [
  ['nothing', {}],
  ['empty-expression', validate('')],
  ['blank-expression', validate('  ')],
  ['syntax', validate('object.')],
  ['syntax-two', validate('1 + + 2 ( ')],
  ['unclosed', validate("'abc")],
  ['unknown-variable', validate('object.x == unknown')],
  ['unknown-variables', validate('first == second')],
  ['unknown-function', validate('object.x.frobnicate()')],
  ['result-int', validate('1')],
  ['result-string', validate("'true'")],
  ['result-dyn', validate('object.spec')],
  ['result-list', validate('[true]')],
  ['params-without-kind', validate('params.x == 1')],
  ['variables-unknown', validate('variables.none')],
  ['mixed-list', validate("[1, 'a'].size() == 2")],
  ['types', validate("1 == 'a'")],
  ['types-add', validate("1 + 'a' == 2")],
  ['multi-line', validate('object.x == 1 &&\n  object.y == unknown', { message: 'm' })],
  ['wide', validate("'ü€😀' == unknown")],
  ['reserved', validate('object.x == package')],
  ['has-argument', validate('has(object)')],
  ['deep', validate(`${'('.repeat(300)}true${')'.repeat(300)}`)],
  ['request-typo', validate('request.operatoin == "CREATE"')],
  ['request-field', validate('request.userInfo.name == "x"')],
  ['namespace-typo', validate('namespaceObject.metadata.label == null')],
  ['namespace-plain', validate("object.metadata.namespace == 'x'")],
  ['cost-high', validate('object.a.all(x, object.b.all(y, object.c.all(z, object.d.all(w, x == y && z == w))))')],
  ['message-lines', validate('true', { message: 'a\nb' })],
  ['message-missing', validate('true &&\ntrue')],
  ['message-blank', validate('true', { message: ' ' })],
  ['message-type', validate('true', { messageExpression: '1' })],
  ['message-dyn', validate('true', { messageExpression: 'object.metadata.name' })],
  ['message-blank-expression', validate('true', { messageExpression: ' ' })],
  ['message-syntax', validate('true', { messageExpression: "'a" })],
  [
    'message-authorizer',
    validate('true', { messageExpression: "string(authorizer.path('/').check('get').allowed())" }),
  ],
  ['reason', validate('true', { reason: 'Because' })],
  ['failure-policy', { ...validate('true'), failurePolicy: 'Maybe' }],
  ['param-kind-empty', { ...validate('true'), paramKind: {} }],
  ['param-kind-version', { ...validate('true'), paramKind: { apiVersion: 'a/b/c', kind: 'x' } }],
  ['param-kind-name', { ...validate('params.x'), paramKind: { apiVersion: 'v1', kind: 'Not_A_Kind' } }],
  ['params', { ...validate('params.x == 1'), paramKind: configMapKind }],
  ['namespace-managers', validate('has(namespaceObject.metadata.managedFields)')],
  ['namespace-kind', validate("namespaceObject.kind == 'Namespace'")],
  ['request-object', validate('has(request.object)')],
  ['list-v3', validate('[2, 1].sort() == [1, 2]')],
  ['map-keys', validate("{object.data.key: 1, 'value': 2}.size() == 2")],
  ['conditional-types', { auditAnnotations: [{ key: 'a', valueExpression: "object.x ? 'seen' : null" }] }],
  ['annotation-dyn', { auditAnnotations: [{ key: 'a', valueExpression: 'object.data.key' }] }],
  ['condition-type', { ...validate('true'), matchConditions: [{ name: 'a', expression: "'x'" }] }],
  ['condition-syntax', { ...validate('true'), matchConditions: [{ name: 'a', expression: 'a b' }] }],
  ['condition-name', { ...validate('true'), matchConditions: [{ name: '-a', expression: 'true' }] }],
  [
    'condition-twice',
    {
      ...validate('true'),
      matchConditions: [
        { name: 'a', expression: 'true' },
        { name: 'a', expression: 'true' },
      ],
    },
  ],
  ['condition-empty', { ...validate('true'), matchConditions: [{ name: '', expression: '' }] }],
  [
    'condition-variable',
    {
      ...validate('true'),
      variables: [{ name: 'v', expression: '1' }],
      matchConditions: [{ name: 'a', expression: 'variables.v == 1' }],
    },
  ],
  [
    'conditions-65',
    {
      ...validate('true'),
      matchConditions: Array.from({ length: 65 }, (_, index) => ({ name: `c${index}`, expression: 'true' })),
    },
  ],
  ['variable-syntax', { ...validate('true'), variables: [{ name: 'v', expression: 'a b' }] }],
  ['variable-name', { ...validate('true'), variables: [{ name: 'not-a-name', expression: '1' }] }],
  [
    'variable-twice',
    {
      ...validate('true'),
      variables: [
        { name: 'v', expression: '1' },
        { name: 'v', expression: '2' },
      ],
    },
  ],
  [
    'variable-forward',
    {
      ...validate('true'),
      variables: [
        { name: 'a', expression: 'variables.b' },
        { name: 'b', expression: '1' },
      ],
    },
  ],
  ['variable-self', { ...validate('true'), variables: [{ name: 'a', expression: 'variables.a' }] }],
  ['variable-type', { ...validate("variables.a == 'x'"), variables: [{ name: 'a', expression: '1' }] }],
  ['variable-empty', { ...validate('true'), variables: [{ name: '', expression: '' }] }],
  ['annotation-type', { auditAnnotations: [{ key: 'a', valueExpression: '1' }] }],
  ['annotation-bool', { auditAnnotations: [{ key: 'a', valueExpression: 'true' }] }],
  ['annotation-null', { auditAnnotations: [{ key: 'a', valueExpression: 'null' }] }],
  ['annotation-syntax', { auditAnnotations: [{ key: 'a', valueExpression: "'" }] }],
  ['annotation-key', { auditAnnotations: [{ key: 'a b', valueExpression: "'x'" }] }],
  ['annotation-key-prefixed', { auditAnnotations: [{ key: 'example.com/a', valueExpression: "'x'" }] }],
  ['annotation-key-long', { auditAnnotations: [{ key: 'a'.repeat(64), valueExpression: "'x'" }] }],
  [
    'annotation-twice',
    {
      auditAnnotations: [
        { key: 'a', valueExpression: "'x'" },
        { key: 'a', valueExpression: "'y'" },
      ],
    },
  ],
  ['annotation-empty', { auditAnnotations: [{ key: '', valueExpression: '' }] }],
  ['annotation-long', { auditAnnotations: [{ key: 'a', valueExpression: `'${'x'.repeat(5120)}'` }] }],
  ['no-rules', { ...validate('true'), matchConstraints: {} }],
  [
    'rule-wildcards',
    {
      ...validate('true'),
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['*', 'a'], apiVersions: ['*', 'v1'], operations: ['*', 'CREATE'], resources: ['*', 'a'] },
        ],
      },
    },
  ],
  ['rule-empty', { ...validate('true'), matchConstraints: { resourceRules: [{}] } }],
  [
    'rule-operation',
    {
      ...validate('true'),
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['READ'], resources: ['pods'] }],
      },
    },
  ],
  [
    'rule-scope',
    {
      ...validate('true'),
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'], scope: 'All' }],
      },
    },
  ],
  [
    'match-policy',
    {
      ...validate('true'),
      matchConstraints: {
        matchPolicy: 'Loose',
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
      },
    },
  ],
  [
    'selector',
    {
      ...validate('true'),
      matchConstraints: {
        objectSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] },
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
      },
    },
  ],
  [
    'program',
    {
      ...validate('true', { messageExpression: "'a'.find('(')" }),
      matchConditions: [{ name: 'a', expression: "'a'.find('(') == ''" }],
      variables: [{ name: 'v', expression: "int('0x10')" }],
      auditAnnotations: [{ key: 'k', valueExpression: "string(b'\\xff')" }],
    },
  ],
  [
    'many-faults',
    {
      failurePolicy: 'x',
      validations: [{ expression: '' }, { expression: '1', message: 'a\nb', reason: 'r' }],
      variables: [{ name: '1', expression: 'x y' }],
    },
  ],
];

const bindingSpecs: readonly (readonly [name: string, spec: Readonly<Record<string, unknown>>])[] = [
  ['no-actions', { validationActions: [] }],
  ['deny-warn', { validationActions: ['Deny', 'Warn'] }],
  ['action-twice', { validationActions: ['Audit', 'Audit'] }],
  ['action-unknown', { validationActions: ['Shout'] }],
  ['policy-name', { policyName: '' }],
  ['policy-name-bad', { policyName: 'Not_A_Name' }],
  ['param-both', { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } }],
  ['param-neither', { paramRef: { parameterNotFoundAction: 'Deny' } }],
  ['param-action', { paramRef: { name: 'a', parameterNotFoundAction: 'Maybe' } }],
  ['param-no-action', { paramRef: { name: 'a' } }],
];

/** Policies and bindings as they are written: most are refused, at the path of each fault. */
export const refusalScenarios: readonly PolicyScenario[] = [
  ...specs.map(
    ([suffix, spec]) =>
      [`refuse-${suffix}`, { method: 'POST', path: policies, body: makePolicy(`refuse-${suffix}`, spec) }] as const,
  ),
  ...bindingSpecs.map(
    ([suffix, spec]) =>
      [
        `refuse-binding-${suffix}`,
        { method: 'POST', path: bindings, body: makeBinding('none', `refuse-binding-${suffix}`, spec) },
      ] as const,
  ),
].map(([name, request]): PolicyScenario => ({
  name,
  policies: [],
  bindings: [],
  requests: [request satisfies ScenarioRequest],
}));
