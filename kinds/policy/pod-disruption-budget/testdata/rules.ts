import type { JsonObject } from '../../../../core/meta/json.ts';
import type { RuleCase } from '../../../rule-case.ts';

function budget(spec: JsonObject, status?: JsonObject): JsonObject {
  const object = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'rule' }, spec };
  return status === undefined ? object : { ...object, status };
}

const selector = { matchLabels: { app: 'web' } };
const counts = { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 };
const condition = {
  type: 'DisruptionAllowed',
  status: 'False',
  reason: 'InsufficientPods',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
const withStatus = (status: JsonObject): JsonObject => budget({ minAvailable: 1 }, { ...counts, ...status });
const withCondition = (change: JsonObject): JsonObject => withStatus({ conditions: [{ ...condition, ...change }] });

function statusRule(name: string, accepted: JsonObject, rejected: JsonObject, field: string): RuleCase {
  return {
    rule: `PodDisruptionBudget.status.${name}`,
    spec: `PodDisruptionBudget status ${name}`,
    old: budget({ minAvailable: 1 }),
    subresource: 'status',
    accepted,
    rejected,
    field,
  };
}

/** The rules of PodDisruptionBudget. */
export const podDisruptionBudgetRules: readonly RuleCase[] = [
  {
    rule: 'PodDisruptionBudget.spec.exclusive',
    spec: 'PodDisruptionBudget maxUnavailable',
    accepted: budget({ maxUnavailable: 1, selector }),
    rejected: budget({ minAvailable: 1, maxUnavailable: '10%', selector }),
    field: 'spec',
    type: 'FieldValueInvalid',
    message:
      'Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"app":"web"}},"MaxUnavailable":"10%",' +
      '"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
  },
  ...(['minAvailable', 'maxUnavailable'] as const).flatMap((field): RuleCase[] => [
    {
      rule: `PodDisruptionBudget.spec.${field}.negative`,
      spec: `PodDisruptionBudget ${field}`,
      accepted: budget({ [field]: 0 }),
      rejected: budget({ [field]: -1 }),
      field: `spec.${field}`,
      type: 'FieldValueInvalid',
      message: 'Invalid value: -1: must be greater than or equal to 0',
    },
    {
      rule: `PodDisruptionBudget.spec.${field}.percent`,
      spec: `PodDisruptionBudget ${field}`,
      accepted: budget({ [field]: '100%' }),
      rejected: budget({ [field]: 'ten' }),
      field: `spec.${field}`,
      type: 'FieldValueInvalid',
      message:
        'Invalid value: "ten": a valid percent string must be a numeric string followed by an ending \'%\' ' +
        "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    },
    {
      rule: `PodDisruptionBudget.spec.${field}.greatest`,
      spec: `PodDisruptionBudget ${field}`,
      accepted: budget({ [field]: '0%' }),
      rejected: budget({ [field]: '101%' }),
      field: `spec.${field}`,
      type: 'FieldValueInvalid',
      message: 'Invalid value: "101%": must not be greater than 100%',
    },
  ]),
  {
    rule: 'PodDisruptionBudget.spec.selector',
    spec: 'PodDisruptionBudget selector',
    accepted: budget({ minAvailable: 1, selector: {} }),
    rejected: budget({ minAvailable: 1, selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] } }),
    field: 'spec.selector.matchExpressions[0].operator',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "Like": not a valid selector operator',
  },
  { rule: 'PodDisruptionBudget.spec.selector.null', spec: 'PodDisruptionBudget selector', accepted: budget({}) },
  {
    rule: 'PodDisruptionBudget.spec.unhealthyPodEvictionPolicy',
    spec: 'PodDisruptionBudget unhealthyPodEvictionPolicy',
    accepted: budget({ minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
    rejected: budget({ minAvailable: 1, unhealthyPodEvictionPolicy: 'Never' }),
    field: 'spec.unhealthyPodEvictionPolicy',
    type: 'FieldValueNotSupported',
    message: 'Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
  },
  {
    rule: 'PodDisruptionBudget.spec.mutable',
    spec: 'Kubernetes 1.34',
    old: budget({ minAvailable: 1, selector }),
    accepted: budget({ maxUnavailable: '50%', selector: {} }),
  },
  ...(['currentHealthy', 'desiredHealthy', 'disruptionsAllowed', 'expectedPods'] as const).map(
    (count): RuleCase => ({
      ...statusRule(count, withStatus({ [count]: 0 }), withStatus({ [count]: -1 }), `status.${count}`),
      type: 'FieldValueInvalid',
      message: 'Invalid value: -1: must be greater than or equal to 0',
    }),
  ),
  {
    ...statusRule('conditions', withCondition({}), withCondition({ type: '' }), 'status.conditions[0].type'),
    type: 'FieldValueInvalid',
    message: 'Invalid value: "": name part must be non-empty',
  },
  {
    ...statusRule('conditions.unique', withCondition({ status: 'True' }), withStatus({ conditions: [condition, condition] }),
      'status.conditions[1].type'),
    type: 'FieldValueDuplicate',
    message: 'Duplicate value: "DisruptionAllowed"',
  },
  {
    ...statusRule('conditions.status', withCondition({ status: 'Unknown' }), withCondition({ status: 'Maybe' }),
      'status.conditions[0].status'),
    type: 'FieldValueNotSupported',
    message: 'Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
  },
  {
    ...statusRule('conditions.reason', withCondition({ reason: 'SyncFailed' }), withCondition({ reason: '' }),
      'status.conditions[0].reason'),
    type: 'FieldValueRequired',
    message: 'Required value',
  },
  {
    ...statusRule('conditions.lastTransitionTime', withCondition({}), withCondition({ lastTransitionTime: null }),
      'status.conditions[0].lastTransitionTime'),
    type: 'FieldValueRequired',
    message: 'Required value',
  },
  {
    ...statusRule('conditions.observedGeneration', withCondition({ observedGeneration: 1 }),
      withCondition({ observedGeneration: -1 }), 'status.conditions[0].observedGeneration'),
    type: 'FieldValueInvalid',
    message: 'Invalid value: -1: must be greater than or equal to zero',
  },
  {
    rule: 'PodDisruptionBudget.status.disruptedPods',
    spec: 'PodDisruptionBudget status disruptedPods',
    old: budget({ minAvailable: 1 }),
    subresource: 'status',
    accepted: withStatus({ disruptedPods: { 'web-0': '2026-01-01T00:00:00Z' }, observedGeneration: 1 }),
    effect: { path: 'status.disruptedPods', value: { 'web-0': '2026-01-01T00:00:00Z' } },
  },
];
