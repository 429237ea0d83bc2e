import { makePolicy, ruleFor } from '../scenario.ts';

/** Types are checked only where group, version and resource are named. */
function ruleOf(group: string, resource: string): Record<string, unknown> {
  return { ...ruleFor(group, resource), apiVersions: ['v1'] };
}

const deployments = { resourceRules: [ruleOf('apps', 'deployments')] };
const one = (expression: string, more: Readonly<Record<string, unknown>> = {}) => ({
  validations: [{ expression, ...more }],
});

const specs: readonly (readonly [name: string, spec: Readonly<Record<string, unknown>>])[] = [
  ['fine', { matchConstraints: deployments, ...one('object.spec.replicas > 1') }],
  ['no-field', { matchConstraints: deployments, ...one('object.spec.replica > 1') }],
  ['no-overload', { matchConstraints: deployments, ...one("object.spec.replicas > 'x'") }],
  [
    'two-expressions',
    {
      matchConstraints: deployments,
      validations: [{ expression: 'object.spec.x == 1' }, { expression: 'object.y == 1' }],
    },
  ],
  [
    'message',
    { matchConstraints: deployments, ...one('true', { messageExpression: "object.nothing == 1 ? 'a' : 'b'" }) },
  ],
  [
    'lines',
    { matchConstraints: deployments, ...one('object.spec.replicas > 1 &&\n  object.spec.x > 1', { message: 'm' }) },
  ],
  [
    'nested',
    {
      matchConstraints: deployments,
      ...one("object.spec.template.spec.containers.all(c, c.image.startsWith('x') && c.imag == 'y')"),
    },
  ],
  ['old-object', { matchConstraints: deployments, ...one('oldObject.spec.x == 1') }],
  [
    'variable',
    {
      matchConstraints: deployments,
      variables: [{ name: 'v', expression: 'object.spec.replicas' }],
      ...one("variables.v == 'x'"),
    },
  ],
  [
    'variable-itself',
    {
      matchConstraints: deployments,
      variables: [{ name: 'v', expression: 'object.spec.x' }],
      ...one('variables.v == 1'),
    },
  ],
  [
    'condition',
    {
      matchConstraints: deployments,
      matchConditions: [{ name: 'c', expression: 'object.spec.x == 1' }],
      ...one('true'),
    },
  ],
  ['annotation', { matchConstraints: deployments, auditAnnotations: [{ key: 'a', valueExpression: 'object.spec.x' }] }],
  [
    'two-kinds',
    {
      matchConstraints: { resourceRules: [ruleOf('apps', 'deployments'), ruleOf('apps', 'daemonsets')] },
      ...one('object.spec.replicas > 1'),
    },
  ],
  [
    'kinds-in-one-rule',
    {
      matchConstraints: {
        resourceRules: [{ ...ruleOf('apps', 'deployments'), resources: ['deployments', 'statefulsets', 'daemonsets'] }],
      },
      ...one('object.spec.replicas > 1'),
    },
  ],
  [
    'exact-version',
    {
      matchConstraints: { resourceRules: [{ ...ruleOf('apps', 'deployments'), apiVersions: ['v1'] }] },
      ...one('object.x == 1'),
    },
  ],
  [
    'unknown-version',
    {
      matchConstraints: { resourceRules: [{ ...ruleOf('apps', 'deployments'), apiVersions: ['v9'] }] },
      ...one('object.x == 1'),
    },
  ],
  ['wildcard-group', { matchConstraints: { resourceRules: [ruleOf('*', 'deployments')] }, ...one('object.x == 1') }],
  ['wildcard-resource', { matchConstraints: { resourceRules: [ruleOf('apps', '*')] }, ...one('object.x == 1') }],
  [
    'subresource',
    { matchConstraints: { resourceRules: [ruleOf('apps', 'deployments/scale')] }, ...one('object.x == 1') },
  ],
  ['unknown-resource', { matchConstraints: { resourceRules: [ruleOf('apps', 'nothings')] }, ...one('object.x == 1') }],
  ['config-map', { matchConstraints: { resourceRules: [ruleOf('', 'configmaps')] }, ...one('object.data.x == 1') }],
  ['wildcard-version', { ...one('object.dat.x == 1') }],
  [
    'config-map-field',
    { matchConstraints: { resourceRules: [ruleOf('', 'configmaps')] }, ...one("object.dat.x == 'a'") },
  ],
  ['secret-bytes', { matchConstraints: { resourceRules: [ruleOf('', 'secrets')] }, ...one("object.data.x == 'a'") }],
  [
    'int-or-string',
    {
      matchConstraints: { resourceRules: [ruleOf('', 'services')] },
      ...one("object.spec.ports.all(p, p.targetPort == 'x' || p.targetPort == 80 || p.port == 'y')"),
    },
  ],
  [
    'quantity',
    {
      matchConstraints: { resourceRules: [ruleOf('', 'pods')] },
      ...one("object.spec.containers.all(c, quantity(c.resources.limits['cpu']).isGreaterThan(quantity('1')))"),
    },
  ],
  [
    'quantity-number',
    {
      matchConstraints: { resourceRules: [ruleOf('', 'pods')] },
      ...one("object.spec.containers.all(c, c.resources.limits['cpu'] > 1)"),
    },
  ],
  [
    'metadata',
    { matchConstraints: deployments, ...one("object.metadata.labels['a'] == 'b' && object.metadata.nam == 'x'") },
  ],
  [
    'metadata-times',
    {
      matchConstraints: deployments,
      ...one(
        "object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z') && object.metadata.creationTimestamp == 'x'",
      ),
    },
  ],
  [
    'escaped',
    {
      matchConstraints: { resourceRules: [ruleOf('', 'configmaps')] },
      ...one("object.metadata.__namespace__ == 'x'"),
    },
  ],
  [
    'params',
    {
      matchConstraints: deployments,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...one("params.data.x == 1 || params.dat == 'x'"),
    },
  ],
  [
    'params-fine',
    {
      matchConstraints: deployments,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...one("params.data['x'] == 'y'"),
    },
  ],
  [
    'params-unknown',
    {
      matchConstraints: deployments,
      paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' },
      ...one('params.x == 1'),
    },
  ],
  [
    'params-class',
    {
      matchConstraints: deployments,
      paramKind: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
      ...one("params.value > 1 && params.valu == 'x'"),
    },
  ],
  [
    'network-policy',
    {
      matchConstraints: { resourceRules: [ruleOf('networking.k8s.io', 'networkpolicies')] },
      ...one('object.spec.podSelector.matchLabel == null'),
    },
  ],
];

/** Policies that nothing binds, whose types the controller checks. */
export const typeCheckedPolicies: readonly Record<string, unknown>[] = specs.map(([suffix, spec]) =>
  makePolicy(`typed-${suffix}`, spec),
);
