import type { JsonObject } from '../../../../core/meta/json.ts';
import type { RuleCase } from '../../../rule-case.ts';

function quota(spec: JsonObject, status?: JsonObject): JsonObject {
  const object = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'rule' }, spec };
  return status === undefined ? object : { ...object, status };
}

function selector(scopeName: string, operator: string, values?: string[], hard: JsonObject = { pods: '1' }): JsonObject {
  const requirement = values === undefined ? { scopeName, operator } : { scopeName, operator, values };
  return quota({ hard, scopeSelector: { matchExpressions: [requirement] } });
}

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';
const EXPRESSIONS = 'spec.scopeSelector.matchExpressions';
const NO_VALUE = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
const SOME_VALUE = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
const QUALIFIED_NAME =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** The rules of ResourceQuota. */
export const resourceQuotaRules: readonly RuleCase[] = [
  {
    rule: 'ResourceQuota.spec.hard.name',
    spec: 'ResourceQuota spec.hard',
    accepted: quota({ hard: { 'count/widgets.example.com': '5', 'requests.nvidia.com/gpu': '4', 'hugepages-2Mi': '4Mi' } }),
    rejected: quota({ hard: { 'bad name': '5' } }),
    field: 'spec.hard[bad name]',
    type: 'FieldValueInvalid',
    message: `Invalid value: "bad name": ${QUALIFIED_NAME}`,
  },
  {
    rule: 'ResourceQuota.spec.hard.known',
    spec: 'ResourceQuota spec.hard',
    accepted: quota({ hard: { 'requests.storage': '10Gi', 'limits.ephemeral-storage': '1Gi', 'services.nodeports': '0' } }),
    rejected: quota({ hard: { widgets: '5' } }),
    field: 'spec.hard[widgets]',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "widgets": must be a standard resource type or fully qualified',
  },
  {
    rule: 'ResourceQuota.spec.hard.quota',
    spec: 'ResourceQuota spec.hard',
    accepted: quota({ hard: { cpu: '5' } }),
    rejected: quota({ hard: { storage: '5' } }),
    field: 'spec.hard[storage]',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "storage": must be a standard resource for quota',
  },
  {
    rule: 'ResourceQuota.spec.hard.negative',
    spec: 'ResourceQuota spec.hard',
    accepted: quota({ hard: { cpu: '0' } }),
    rejected: quota({ hard: { cpu: '-1' } }),
    field: 'spec.hard[cpu]',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "-1": must be greater than or equal to 0',
  },
  {
    rule: 'ResourceQuota.spec.hard.integer',
    spec: 'ResourceQuota spec.hard',
    accepted: quota({ hard: { pods: '5', cpu: '100m' } }),
    rejected: quota({ hard: { pods: '500m' } }),
    field: 'spec.hard[pods]',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "500m": must be an integer',
  },
  {
    rule: 'ResourceQuota.spec.hard.extended-integer',
    spec: 'ResourceQuota spec.hard',
    accepted: quota({ hard: { 'example.com/gpu': '5' } }),
    rejected: quota({ hard: { 'example.com/gpu': '1500m' } }),
    field: 'spec.hard[example.com/gpu]',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "1500m": must be an integer',
  },
  {
    rule: 'ResourceQuota.spec.hard.rounding',
    spec: 'Kubernetes 1.34',
    accepted: quota({ hard: { cpu: '0.1m' } }),
    effect: { path: 'spec.hard.cpu', value: '1m' },
  },
  {
    rule: 'ResourceQuota.spec.scopes.unspecified',
    spec: 'ResourceQuota spec.scopes',
    accepted: quota({ hard: { configmaps: '1' } }),
  },
  {
    rule: 'ResourceQuota.spec.scopes.supported',
    spec: 'ResourceQuota spec.scopes',
    accepted: quota({ hard: { pods: '1' }, scopes: ['NotBestEffort', 'Terminating'] }),
    rejected: quota({ hard: { pods: '1' }, scopes: ['Sometimes'] }),
    field: 'spec.scopes',
    type: 'FieldValueInvalid',
    message: 'Invalid value: ["Sometimes"]: unsupported scope',
  },
  {
    rule: 'ResourceQuota.spec.scopes.resource',
    spec: 'ResourceQuota spec.scopes',
    accepted: quota({ hard: { pods: '1' }, scopes: ['BestEffort'] }),
    rejected: quota({ hard: { cpu: '1' }, scopes: ['BestEffort'] }),
    field: 'spec.scopes',
    type: 'FieldValueInvalid',
    message: 'Invalid value: ["BestEffort"]: unsupported scope applied to resource',
  },
  {
    rule: 'ResourceQuota.spec.scopes.conflict-best-effort',
    spec: 'ResourceQuota spec.scopes',
    accepted: quota({ hard: { pods: '1' }, scopes: ['BestEffort', 'Terminating'] }),
    rejected: quota({ hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] }),
    field: 'spec.scopes',
    type: 'FieldValueInvalid',
    message: 'Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
  },
  {
    rule: 'ResourceQuota.spec.scopes.conflict-terminating',
    spec: 'ResourceQuota spec.scopes',
    accepted: quota({ hard: { pods: '1' }, scopes: ['Terminating'] }),
    rejected: quota({ hard: { pods: '1' }, scopes: ['Terminating', 'NotTerminating'] }),
    field: 'spec.scopes',
    type: 'FieldValueInvalid',
    message: 'Invalid value: ["Terminating","NotTerminating"]: conflicting scopes',
  },
  {
    rule: 'ResourceQuota.spec.scopes.immutable',
    spec: 'Kubernetes 1.34',
    old: quota({ hard: { pods: '1' }, scopes: ['BestEffort', 'Terminating'] }),
    accepted: quota({ hard: { pods: '2' }, scopes: ['Terminating', 'BestEffort'] }),
    rejected: quota({ hard: { pods: '2' }, scopes: ['Terminating'] }),
    field: 'spec.scopes',
    type: 'FieldValueInvalid',
    message: 'Invalid value: ["Terminating"]: field is immutable',
  },
  {
    rule: 'ResourceQuota.spec.scopeSelector.mutable',
    spec: 'Kubernetes 1.34',
    old: selector('PriorityClass', 'In', ['high']),
    accepted: selector('PriorityClass', 'In', ['low']),
  },
  {
    rule: 'ResourceQuota.spec.scopeSelector.both',
    spec: 'ResourceQuota spec.scopeSelector',
    accepted: quota({
      hard: { pods: '1' },
      scopes: ['BestEffort'],
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] },
    }),
  },
  {
    rule: 'ResourceQuota.spec.scopeSelector.matchExpressions.scopeName',
    spec: 'ResourceQuota scopeSelector ...scopeName',
    accepted: selector('VolumeAttributesClass', 'In', ['gold'], { persistentvolumeclaims: '1', 'requests.storage': '1' }),
    rejected: selector('Sometimes', 'Exists'),
    field: `${EXPRESSIONS}.scopeName`,
    type: 'FieldValueInvalid',
    message: 'Invalid value: "Sometimes": unsupported scope',
  },
  ...(['BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity', 'NotTerminating', 'Terminating'] as const).map(
    (scope): RuleCase => ({
      rule: `ResourceQuota.spec.scopeSelector.matchExpressions.scopeName.${scope}`,
      spec: `ResourceQuota scopeName ${scope}`,
      accepted: selector(scope, 'Exists'),
      rejected: selector(scope, 'In', ['x']),
      field: `${EXPRESSIONS}.operator`,
      type: 'FieldValueInvalid',
      message: `Invalid value: "In": ${MUST_EXIST}`,
    }),
  ),
  {
    rule: 'ResourceQuota.spec.scopeSelector.matchExpressions.scopeName.PriorityClass',
    spec: 'ResourceQuota scopeName PriorityClass',
    accepted: selector('PriorityClass', 'NotIn', ['high'], { cpu: '1', 'limits.memory': '1Gi' }),
    rejected: selector('PriorityClass', 'Exists', undefined, { configmaps: '1' }),
    field: EXPRESSIONS,
    type: 'FieldValueInvalid',
    message:
      'Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass","Operator":"Exists","Values":null}]}: ' +
      'unsupported scope applied to resource',
  },
  {
    rule: 'ResourceQuota.spec.scopeSelector.matchExpressions.scopeName.VolumeAttributesClass',
    spec: 'ResourceQuota scopeName VolumeAttributesClass',
    accepted: selector('VolumeAttributesClass', 'Exists', undefined, { persistentvolumeclaims: '1' }),
    rejected: selector('VolumeAttributesClass', 'In', ['gold'], { pods: '1' }),
    field: EXPRESSIONS,
    type: 'FieldValueInvalid',
    message:
      'Invalid value: {"MatchExpressions":[{"ScopeName":"VolumeAttributesClass","Operator":"In","Values":["gold"]}]}: ' +
      'unsupported scope applied to resource',
  },
  {
    rule: 'ResourceQuota.spec.scopeSelector.matchExpressions.operator',
    spec: 'ResourceQuota scopeSelector ...operator',
    accepted: selector('PriorityClass', 'DoesNotExist'),
    rejected: selector('PriorityClass', 'Like', ['high']),
    field: `${EXPRESSIONS}.operator`,
    type: 'FieldValueInvalid',
    message: 'Invalid value: "Like": not a valid selector operator',
  },
  ...(['In', 'NotIn'] as const).map(
    (operator): RuleCase => ({
      rule: `ResourceQuota.spec.scopeSelector.matchExpressions.values.${operator}`,
      spec: 'ResourceQuota scopeSelector ...values',
      accepted: selector('PriorityClass', operator, ['high', 'low']),
      rejected: selector('PriorityClass', operator, []),
      field: `${EXPRESSIONS}.values`,
      type: 'FieldValueRequired',
      message: `Required value: ${SOME_VALUE}`,
    }),
  ),
  ...(['Exists', 'DoesNotExist'] as const).map(
    (operator): RuleCase => ({
      rule: `ResourceQuota.spec.scopeSelector.matchExpressions.values.${operator}`,
      spec: 'ResourceQuota scopeSelector ...values',
      accepted: selector('PriorityClass', operator),
      rejected: selector('PriorityClass', operator, ['high']),
      field: `${EXPRESSIONS}.values`,
      type: 'FieldValueInvalid',
      message: `Invalid value: ["high"]: ${NO_VALUE}`,
    }),
  ),
  {
    rule: 'ResourceQuota.spec.scopeSelector.conflict',
    spec: 'ResourceQuota spec.scopeSelector',
    accepted: selector('BestEffort', 'Exists'),
    rejected: quota({
      hard: { pods: '1' },
      scopeSelector: {
        matchExpressions: [
          { scopeName: 'BestEffort', operator: 'Exists' },
          { scopeName: 'NotBestEffort', operator: 'Exists' },
        ],
      },
    }),
    field: EXPRESSIONS,
    type: 'FieldValueInvalid',
    message: 'Invalid value: null: conflicting scopes',
  },
  {
    rule: 'ResourceQuota.status.amounts',
    spec: 'ResourceQuota status',
    subresource: 'status',
    old: quota({ hard: { pods: '1' } }),
    accepted: quota({ hard: { pods: '1' } }, { hard: { pods: '1' }, used: { pods: '0' } }),
    rejected: quota({ hard: { pods: '1' } }, { hard: { pods: '1' }, used: { pods: '-1' } }),
    field: 'status.used[pods]',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "-1": must be greater than or equal to 0',
  },
  {
    rule: 'ResourceQuota.status.names',
    spec: 'ResourceQuota status',
    subresource: 'status',
    old: quota({ hard: { pods: '1' } }),
    accepted: quota({ hard: { pods: '1' } }, { used: { cpu: '10m' } }),
    rejected: quota({ hard: { pods: '1' } }, { hard: { widgets: '1' } }),
    field: 'status.hard[widgets]',
    type: 'FieldValueInvalid',
    message: 'Invalid value: "widgets": must be a standard resource for quota',
  },
];
