import type { JsonObject } from '../../../../core/meta/json.ts';
import type { RuleCase } from '../../../rule-case.ts';

function range(...limits: JsonObject[]): JsonObject {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'rule' }, spec: { limits } };
}

function container(amounts: JsonObject): JsonObject {
  return range({ type: 'Container', ...amounts });
}

/** A rule about amounts of one resource: `[accepted, rejected]` fields of a container's limits. */
function amountRule(
  name: string,
  accepted: JsonObject,
  rejected: JsonObject,
  field: string,
  message: string,
  spec = `LimitRange ${name}`,
): RuleCase {
  return {
    rule: `LimitRange.spec.limits.${name}`,
    spec,
    accepted: container(accepted),
    rejected: container(rejected),
    field: `spec.limits[0].${field}`,
    type: 'FieldValueInvalid',
    message: `Invalid value: ${message}`,
  };
}

/** The rules of LimitRange. */
export const limitRangeRules: readonly RuleCase[] = [
  {
    rule: 'LimitRange.spec.limits.type',
    spec: 'LimitRange type',
    accepted: range({ type: 'Pod', max: { cpu: '1' } }, { type: 'example.com/Widget', max: { cpu: '1' } }),
    rejected: range({ type: 'Widget', max: { cpu: '1' } }),
    field: 'spec.limits[0].type',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "Widget": must be a standard limit type or fully qualified',
  },
  {
    rule: 'LimitRange.spec.limits.type.required',
    spec: 'LimitRange type',
    accepted: range({ type: 'Container', max: { cpu: '1' } }),
    rejected: range({ max: { cpu: '1' } }),
    field: 'spec.limits[0].type',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "": name part must be non-empty',
  },
  {
    rule: 'LimitRange.spec.limits.type.duplicate',
    spec: 'Kubernetes 1.34',
    accepted: range({ type: 'Pod', max: { cpu: '1' } }, { type: 'Container', max: { cpu: '1' } }),
    rejected: range({ type: 'Pod', max: { cpu: '1' } }, { type: 'Pod', min: { cpu: '1' } }),
    field: 'spec.limits[1].type',
    type: 'FieldValueDuplicate',
    message: 'Duplicate value: "Pod"',
  },
  {
    rule: 'LimitRange.spec.limits.resource',
    spec: 'LimitRange max',
    accepted: container({ max: { cpu: '1', 'hugepages-2Mi': '2Mi', 'example.com/gpu': '2' } }),
    rejected: container({ max: { storage: '1' } }),
    field: 'spec.limits[0].max[storage]',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "storage": must be a standard resource for containers',
  },
  ...(['min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const).map(
    (field): RuleCase => ({
      rule: `LimitRange.spec.limits.${field}.resource`,
      spec: `LimitRange ${field}`,
      accepted: container({ [field]: { memory: '2' } }),
      rejected: container({ [field]: { widgets: '2' } }),
      field: `spec.limits[0].${field}[widgets]`,
      type: 'FieldValueInvalid',
      message: 'Invalid value: "widgets": must be a standard resource type or fully qualified',
    }),
  ),
  {
    rule: 'LimitRange.spec.limits.resource.extended',
    spec: 'Kubernetes 1.34',
    accepted: container({ max: { 'example.com/gpu': '2' } }),
    rejected: container({ max: { 'requests.example.com/gpu': '2' } }),
    field: 'spec.limits[0].max[requests.example.com/gpu]',
    type: 'FieldValueInvalid',
    message: `Invalid value: "requests.example.com/gpu": doesn't follow extended resource name standard`,
  },
  amountRule(
    'min',
    { min: { cpu: '1' }, max: { cpu: '1' } },
    { min: { cpu: '2' }, max: { cpu: '1' } },
    'min[cpu]',
    '"2": min value 2 is greater than max value 1',
  ),
  amountRule(
    'defaultRequest.min',
    { min: { cpu: '100m' }, defaultRequest: { cpu: '100m' } },
    { min: { cpu: '200m' }, defaultRequest: { cpu: '100m' } },
    'defaultRequest[cpu]',
    '"100m": min value 200m is greater than default request value 100m',
    'LimitRange defaultRequest',
  ),
  amountRule(
    'defaultRequest.max',
    { max: { cpu: '1' }, defaultRequest: { cpu: '1' } },
    { max: { cpu: '1' }, defaultRequest: { cpu: '2' }, default: { cpu: '2' } },
    'defaultRequest[cpu]',
    '"2": default request value 2 is greater than max value 1',
    'LimitRange defaultRequest',
  ),
  amountRule(
    'defaultRequest.default',
    { default: { cpu: '1' }, defaultRequest: { cpu: '1' } },
    { default: { cpu: '1' }, defaultRequest: { cpu: '1500m' } },
    'defaultRequest[cpu]',
    '"1500m": default request value 1500m is greater than default limit value 1',
    'LimitRange defaultRequest',
  ),
  amountRule(
    'default.min',
    { min: { cpu: '1' }, default: { cpu: '1' } },
    { min: { cpu: '2' }, default: { cpu: '1' } },
    'default[cpu]',
    '"2": min value 2 is greater than default value 1',
    'LimitRange default',
  ),
  amountRule(
    'default.max',
    { max: { cpu: '1' }, default: { cpu: '1' } },
    { max: { cpu: '1' }, default: { cpu: '2' } },
    'default[cpu]',
    '"1": default value 2 is greater than max value 1',
    'LimitRange default',
  ),
  amountRule(
    'maxLimitRequestRatio',
    { maxLimitRequestRatio: { cpu: '1' } },
    { maxLimitRequestRatio: { cpu: '900m' } },
    'maxLimitRequestRatio[cpu]',
    '"900m": ratio 900m is less than 1',
  ),
  amountRule(
    'maxLimitRequestRatio.bounds',
    { min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '2' } },
    { min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '2500m' } },
    'maxLimitRequestRatio[cpu]',
    '"2500m": ratio 2500m is greater than max/min = 2.000000',
    'LimitRange maxLimitRequestRatio',
  ),
  amountRule(
    'maxLimitRequestRatio.negative',
    { min: { cpu: '-2' }, max: { cpu: '-2' }, maxLimitRequestRatio: { cpu: '1' } },
    { min: { cpu: '-3' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '2' } },
    'maxLimitRequestRatio[cpu]',
    '"2": ratio 2 is greater than max/min = -0.666667',
    'Kubernetes 1.34',
  ),
  amountRule(
    'overcommit',
    { default: { 'example.com/gpu': '1' }, defaultRequest: { 'example.com/gpu': '1' } },
    { default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } },
    'defaultRequest[example.com/gpu]',
    '"1": default value 2 must equal to defaultRequest value 1 in example.com/gpu',
    'Kubernetes 1.34',
  ),
  amountRule(
    'overcommit.hugepages',
    { default: { 'hugepages-2Mi': '4Mi' }, defaultRequest: { 'hugepages-2Mi': '4Mi' } },
    { default: { 'hugepages-2Mi': '4Mi' }, defaultRequest: { 'hugepages-2Mi': '2Mi' } },
    'defaultRequest[hugepages-2Mi]',
    '"2Mi": default value 4Mi must equal to defaultRequest value 2Mi in hugepages-2Mi',
    'Kubernetes 1.34',
  ),
  ...(['default', 'defaultRequest'] as const).map(
    (field): RuleCase => ({
      rule: `LimitRange.spec.limits.${field}.pod`,
      spec: `LimitRange ${field}`,
      accepted: range({ type: 'Pod', max: { cpu: '1' } }),
      rejected: range({ type: 'Pod', [field]: { cpu: '1' } }),
      field: `spec.limits[0].${field}`,
      type: 'FieldValueForbidden',
      message: "Forbidden: may not be specified when `type` is 'Pod'",
    }),
  ),
  {
    rule: 'LimitRange.spec.limits.storage',
    spec: 'Kubernetes 1.34',
    accepted: range({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' } }),
    rejected: range({ type: 'PersistentVolumeClaim', default: { storage: '1Gi' } }),
    field: 'spec.limits[0].limits',
    type: 'FieldValueRequired',
    message: 'Required value: either minimum or maximum storage value is required, but neither was provided',
  },
  {
    rule: 'LimitRange.default.max',
    spec: 'LimitRange default',
    accepted: container({ max: { cpu: '2' } }),
    effect: { path: 'spec.limits.0.default', value: { cpu: '2' } },
  },
  {
    rule: 'LimitRange.defaultRequest.default',
    spec: 'LimitRange defaultRequest',
    accepted: container({ default: { cpu: '2' } }),
    effect: { path: 'spec.limits.0.defaultRequest', value: { cpu: '2' } },
  },
  {
    rule: 'LimitRange.defaultRequest.min',
    spec: 'LimitRange defaultRequest',
    accepted: container({ min: { memory: '1Gi' } }),
    effect: { path: 'spec.limits.0.defaultRequest', value: { memory: '1Gi' } },
  },
  {
    rule: 'LimitRange.rounding',
    spec: 'Kubernetes 1.34',
    accepted: container({ max: { cpu: '0.1m' } }),
    effect: { path: 'spec.limits.0.max', value: { cpu: '1m' } },
  },
];
