import type { JsonObject } from '../../../../core/meta/json.ts';
import { makeRuleCase } from '../../../rule-case.ts';
import type { RuleCase, RuleRow } from '../../../rule-case.ts';
import { matchResourcesRows } from '../../testdata/match-resources-rows.ts';

function binding(change: JsonObject): JsonObject {
  return {
    apiVersion: 'admissionregistration.{domain}/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'rule' },
    spec: { policyName: 'policy', validationActions: ['Deny'], ...change },
  };
}

const param = (value: JsonObject): JsonObject =>
  binding({ paramRef: { parameterNotFoundAction: 'Deny', ...value } });
const actions = (...list: string[]): JsonObject => binding({ validationActions: list });
const selector = { matchLabels: { a: 'b' } };
const EXCLUSIVE = 'Forbidden: name and selector are mutually exclusive';
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";


const toRule = (row: RuleRow): RuleCase => makeRuleCase('ValidatingAdmissionPolicyBinding', row);

const rows: RuleRow[] = [
  ['spec.policyName.required', 'Binding policyName', binding({}), binding({ policyName: '' }), 'spec.policyName',
    'Required value'],
  ['spec.policyName', 'Binding policyName', binding({ policyName: 'a.example.com' }), binding({ policyName: 'A' }),
    'spec.policyName', `Invalid value: "A": ${SUBDOMAIN}`],
  ['spec.paramRef.required', 'Binding paramRef.name', param({ name: 'p', namespace: 'n' }), param({}), 'spec.paramRef',
    'Required value: one of name or selector must be specified'],
  ['spec.paramRef.name.exclusive', 'Binding paramRef.name', param({ name: 'p' }), param({ name: 'p', selector }),
    'spec.paramRef.name', EXCLUSIVE],
  ['spec.paramRef.selector.exclusive', 'Binding paramRef.name', param({ selector: {} }), param({ name: 'p', selector: {} }),
    'spec.paramRef.selector', EXCLUSIVE],
  ['spec.paramRef.name', 'Binding paramRef.name', param({ name: 'p' }), param({ name: 'a/b' }), 'spec.paramRef.name',
    `Invalid value: "a/b": may not contain '/'`],
  ['spec.paramRef.selector', 'Binding paramRef.selector', param({ selector }),
    param({ selector: { matchExpressions: [{ key: 'a', operator: 'NotIn' }] } }),
    'spec.paramRef.selector.matchExpressions[0].values',
    "Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  ['spec.paramRef.parameterNotFoundAction.required', 'Binding paramRef.parameterNotFoundAction',
    param({ name: 'p', parameterNotFoundAction: 'Allow' }), binding({ paramRef: { name: 'p' } }),
    'spec.paramRef.parameterNotFoundAction', 'Required value'],
  ['spec.paramRef.parameterNotFoundAction', 'Binding paramRef.parameterNotFoundAction', param({ name: 'p' }),
    param({ name: 'p', parameterNotFoundAction: 'Shrug' }), 'spec.paramRef.parameterNotFoundAction',
    'Unsupported value: "Shrug": supported values: "Deny", "Allow"'],
  ['spec.validationActions.required', 'Binding validationActions', actions('Audit'), actions(), 'spec.validationActions',
    'Required value: at least one validation action is required'],
  ['spec.validationActions', 'Binding validationActions', actions('Warn', 'Audit'), actions('Shout'),
    'spec.validationActions[0]', 'Unsupported value: "Shout": supported values: "Audit", "Deny", "Warn"'],
  ['spec.validationActions.unique', 'Binding validationActions', actions('Deny', 'Audit'), actions('Deny', 'Deny'),
    'spec.validationActions[1]', 'Duplicate value: "Deny"'],
  ['spec.validationActions.exclusive', 'Binding validationActions', actions('Audit', 'Deny'), actions('Deny', 'Warn'),
    'spec.validationActions',
    'Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure ' +
      'information in the API response and headers serves no purpose)'],
  ...matchResourcesRows('spec.matchResources').map(
    ([rule, spec, accepted, rejected, field, message]): RuleRow => [
      `spec.matchResources.${rule}`,
      spec,
      binding({ matchResources: accepted }),
      binding({ matchResources: rejected }),
      field,
      message,
    ],
  ),
];

/** The rules of ValidatingAdmissionPolicyBinding. */
export const validatingAdmissionPolicyBindingRules: readonly RuleCase[] = [
  ...rows.map(toRule),
  {
    rule: 'ValidatingAdmissionPolicyBinding.spec.matchResources.unset',
    spec: 'Binding matchResources',
    accepted: binding({ matchResources: {} }),
    effect: {
      path: 'spec.matchResources',
      value: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
    },
  },
];
