import type { JsonObject } from '../../../../core/meta/json.ts';
import { makeRuleCase } from '../../../rule-case.ts';
import type { RuleCase, RuleRow } from '../../../rule-case.ts';
import { matchResourcesRows } from '../../testdata/match-resources-rows.ts';

const podRule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

function policy(change: JsonObject, status?: JsonObject): JsonObject {
  const object = {
    apiVersion: 'admissionregistration.{domain}/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'rule' },
    spec: { matchConstraints: { resourceRules: [podRule] }, validations: [{ expression: 'true' }], ...change },
  };
  return status === undefined ? object : { ...object, status };
}

const without = (...fields: string[]): JsonObject => {
  const object = policy({});
  const spec = Object.entries(object['spec'] as JsonObject).filter(([field]) => !fields.includes(field));
  return { ...object, spec: Object.fromEntries(spec) };
};
const validation = (value: JsonObject): JsonObject => policy({ validations: [{ expression: 'true', ...value }] });
const paramKind = (value: JsonObject): JsonObject => policy({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap', ...value } });
const conditions = (...list: JsonObject[]): JsonObject => policy({ matchConditions: list });
const variables = (...list: JsonObject[]): JsonObject => policy({ variables: list });
const annotations = (...list: JsonObject[]): JsonObject => policy({ auditAnnotations: list });
const named = (name: string): JsonObject => ({ name, expression: 'true' });
const keyed = (key: string): JsonObject => ({ key, valueExpression: "'a'" });
const many = (count: number, make: (name: string) => JsonObject): JsonObject[] =>
  Array.from({ length: count }, (_, i) => make(`n${i}`));
const withWarning = (warning: JsonObject): JsonObject => policy({}, { typeChecking: { expressionWarnings: [warning] } });
const withCondition = (change: JsonObject): JsonObject =>
  policy(
    {},
    {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Fine', message: '', lastTransitionTime: '2026-01-01T00:00:00Z', ...change },
      ],
    },
  );

const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end " +
  "with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SPEC_ROW = 'ValidatingAdmissionPolicy';
const NEEDS_ONE = 'Required value: validations or auditAnnotations must contain at least one item';


const place = (column: number, fault: string, source: string): string =>
  `compilation failed: ERROR: <input>:1:${column}: ${fault}\n | ${source}\n | ${'.'.repeat(column - 1)}^`;
const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`;
const cel = (
  rule: string,
  spec: string,
  accepted: JsonObject,
  rejected: JsonObject,
  field: string,
  source: string,
  fault: string,
): RuleRow => [rule, spec, accepted, rejected, `spec.${field}`, `Invalid value: ${JSON.stringify(source)}: ${fault}`];
const expression = (text: string): JsonObject => validation({ expression: text });
const message = (text: string): JsonObject => validation({ messageExpression: text });
const condition = (text: string): JsonObject => conditions({ name: 'c', expression: text });
const variable = (text: string): JsonObject => variables({ name: 'v', expression: text });
const value = (text: string): JsonObject => annotations({ key: 'k', valueExpression: text });

const toRule = (row: RuleRow): RuleCase => makeRuleCase('ValidatingAdmissionPolicy', row);

const rows: RuleRow[] = [
  ['spec.failurePolicy', `${SPEC_ROW} failurePolicy`, policy({ failurePolicy: 'Ignore' }), policy({ failurePolicy: 'Shrug' }),
    'spec.failurePolicy', 'Unsupported value: "Shrug": supported values: "Fail", "Ignore"'],
  ['spec.checks', `${SPEC_ROW} spec`, policy({ validations: [], auditAnnotations: [keyed('a')] }), without('validations'),
    'spec.validations', NEEDS_ONE],
  ['spec.checks.annotations', `${SPEC_ROW} spec`, policy({}), policy({ validations: [] }), 'spec.auditAnnotations', NEEDS_ONE],
  ['spec.matchConstraints', `${SPEC_ROW} matchConstraints`, policy({}), without('matchConstraints'), 'spec.matchConstraints',
    'Required value'],
  ['spec.matchConstraints.resourceRules', `${SPEC_ROW} matchConstraints`, policy({}), policy({ matchConstraints: {} }),
    'spec.matchConstraints.resourceRules', 'Required value'],
  ['spec.paramKind.apiVersion', `${SPEC_ROW} paramKind.apiVersion`, paramKind({ apiVersion: 'rules.example.com/v1' }),
    policy({ paramKind: { kind: 'ConfigMap' } }), 'spec.paramKind.apiVersion', 'Required value'],
  ['spec.paramKind.apiVersion.parts', `${SPEC_ROW} paramKind.apiVersion`, paramKind({}), paramKind({ apiVersion: 'a/b/c' }),
    'spec.paramKind.apiVersion', 'Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  ['spec.paramKind.apiVersion.group', `${SPEC_ROW} paramKind.apiVersion`, paramKind({}), paramKind({ apiVersion: 'A/v1' }),
    'spec.paramKind.apiVersion', `Invalid value: "A": ${SUBDOMAIN}`],
  ['spec.paramKind.apiVersion.version', `${SPEC_ROW} paramKind.apiVersion`, paramKind({}), paramKind({ apiVersion: 'a/1' }),
    'spec.paramKind.apiVersion', `Invalid value: "1": ${LABEL_1035}`],
  ['spec.paramKind.apiVersion.version-empty', `${SPEC_ROW} paramKind.apiVersion`, paramKind({}), paramKind({ apiVersion: 'a/' }),
    'spec.paramKind.apiVersion', 'Invalid value: "a/": version must be specified'],
  ['spec.paramKind.kind', `${SPEC_ROW} paramKind.kind`, paramKind({}), policy({ paramKind: { apiVersion: 'v1' } }),
    'spec.paramKind.kind', 'Required value'],
  ['spec.paramKind.kind.name', `${SPEC_ROW} paramKind.kind`, paramKind({}), paramKind({ kind: 'Config_Map' }),
    'spec.paramKind.kind',
    `Invalid value: "Config_Map": may have mixed case, but should otherwise match: ${LABEL_1035}`],
  ['spec.matchConditions.count', 'Limits matchConditions', conditions(...many(64, named)), conditions(...many(65, named)),
    'spec.matchConditions', 'Too many: 65: must have at most 64 items'],
  ['spec.matchConditions.name.required', 'MatchCondition name', conditions(named('a')), conditions({ expression: 'true' }),
    'spec.matchConditions[0].name', 'Required value'],
  ['spec.matchConditions.name', 'MatchCondition name', conditions(named('example.com/a_b')), conditions(named('-a')),
    'spec.matchConditions[0].name', `Invalid value: "-a": ${QUALIFIED}`],
  ['spec.matchConditions.name.unique', `${SPEC_ROW} matchConditions`, conditions(named('a'), named('b')),
    conditions(named('a'), named('a')), 'spec.matchConditions[1].name', 'Duplicate value: "a"'],
  ['spec.matchConditions.expression', 'MatchCondition expression', conditions(named('a')),
    conditions({ name: 'a', expression: ' ' }), 'spec.matchConditions[0].expression', 'Required value'],
  ['spec.variables.name.required', 'Variable name', variables(named('foo')), variables({ name: '', expression: 'true' }),
    'spec.variables[0].name', 'Required value: name is not specified'],
  ['spec.variables.name', 'Variable name', variables(named('_foo1')), variables(named('1foo')), 'spec.variables[0].name',
    'Invalid value: "1foo": must be a valid CEL identifier'],
  ['spec.variables.name.reserved', 'Variable name', variables(named('whiles')), variables(named('while')),
    'spec.variables[0].name', 'Invalid value: "while": must be a valid CEL identifier'],
  ['spec.variables.expression', 'Variable expression', variables(named('foo')), variables({ name: 'foo', expression: '' }),
    'spec.variables[0].expression', 'Required value: expression is not specified'],
  ['spec.validations.expression', 'Validation expression', validation({}), validation({ expression: ' ' }),
    'spec.validations[0].expression', 'Required value: expression is not specified'],
  ['spec.validations.message', 'Validation message', validation({ message: 'must be so' }), validation({ message: 'a\nb' }),
    'spec.validations[0].message', 'Invalid value: "a\\nb": must not contain line breaks'],
  ['spec.validations.message.blank', 'Validation message', validation({ message: '' }), validation({ message: ' ' }),
    'spec.validations[0].message', 'Invalid value: " ": must be non-empty if specified'],
  ['spec.validations.messageExpression', 'Validation messageExpression', validation({ messageExpression: "'a'" }),
    validation({ messageExpression: ' ' }), 'spec.validations[0].messageExpression',
    'Invalid value: " ": must be non-empty if specified'],
  ['spec.auditAnnotations.key', 'AuditAnnotation key', annotations(keyed('a-b_c.d')), annotations(keyed('-a')),
    'spec.auditAnnotations[0].key', `Invalid value: "rule/-a": ${QUALIFIED}`],
  ['spec.auditAnnotations.key.length', 'Limits auditAnnotations.key', annotations(keyed('a'.repeat(63))),
    annotations(keyed('a'.repeat(64))), 'spec.auditAnnotations[0].key',
    `Invalid value: "rule/${'a'.repeat(64)}": name part must be no more than 63 characters`],
  ['spec.auditAnnotations.key.unique', 'AuditAnnotation key', annotations(keyed('a'), keyed('b')),
    annotations(keyed('a'), keyed('a')), 'spec.auditAnnotations[1].key', 'Duplicate value: "a"'],
  ['spec.auditAnnotations.count', 'Kubernetes 1.34', annotations(...many(20, keyed)), annotations(...many(21, keyed)),
    'spec.auditAnnotations',
    `Invalid value: [${many(21, keyed)
      .map(({ key }) => `{"Key":"${String(key)}","ValueExpression":"'a'"}`)
      .join(',')}]: must not have more than 20 auditAnnotations`],
  ['spec.auditAnnotations.valueExpression', 'AuditAnnotation valueExpression', annotations(keyed('a')),
    annotations({ key: 'a', valueExpression: ' ' }), 'spec.auditAnnotations[0].valueExpression',
    'Required value: valueExpression is not specified'],
  ['spec.auditAnnotations.valueExpression.length', 'Limits auditAnnotations.valueExpression',
    annotations({ key: 'a', valueExpression: `'${'a'.repeat(5118)}'` }),
    annotations({ key: 'a', valueExpression: `'${'a'.repeat(5119)}'` }), 'spec.auditAnnotations[0].valueExpression',
    'Required value: must not exceed 5120 bytes in length'],
  cel('spec.validations.expression.name', 'Validation expression', expression('object == null'), expression('objekt == null'),
    'validations[0].expression', 'objekt == null', place(1, undeclared('objekt'), 'objekt == null')),
  cel('spec.validations.expression.syntax', `${SPEC_ROW} failurePolicy`, expression('1 == 1'), expression('1 = 1'),
    'validations[0].expression', '1 = 1',
    place(3, "Syntax error: token recognition error at: '= '", '1 = 1') +
      "\nERROR: <input>:1:5: Syntax error: extraneous input '1' expecting <EOF>\n | 1 = 1\n | ....^"),
  cel('spec.validations.expression.type', 'Validation expression', expression('size(object.spec.containers) == 1'),
    expression('size(object.spec.containers)'), 'validations[0].expression', 'size(object.spec.containers)',
    'must evaluate to bool but got int'),
  cel('spec.validations.expression.params', `${SPEC_ROW} paramKind`,
    policy({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'params == null' }] }),
    expression('params == null'), 'validations[0].expression', 'params == null',
    place(1, undeclared('params'), 'params == null')),
  cel('spec.validations.messageExpression.type', 'Validation messageExpression', message("'is ' + string(object.spec.x)"),
    message('object.spec.x'), 'validations[0].messageExpression', 'object.spec.x', 'must evaluate to string but got dyn'),
  cel('spec.validations.messageExpression.authorizer', 'Validation messageExpression', message("'a'"),
    message("authorizer.path('/a').check('get').reason()"), 'validations[0].messageExpression',
    "authorizer.path('/a').check('get').reason()",
    place(1, undeclared('authorizer'), "authorizer.path('/a').check('get').reason()")),
  cel('spec.matchConditions.expression.type', 'MatchCondition expression', condition("request.name == 'a'"),
    condition('request.name'), 'matchConditions[0].expression', 'request.name', 'must evaluate to bool but got string'),
  cel('spec.matchConditions.expression.variables', 'Variable expression',
    policy({ variables: [named('v')], validations: [{ expression: 'variables.v' }] }),
    policy({ variables: [named('v')], matchConditions: [{ name: 'c', expression: 'variables.v' }] }),
    'matchConditions[0].expression', 'variables.v', place(1, undeclared('variables'), 'variables.v')),
  cel('spec.variables.expression.name', 'Variable expression', variable('object.spec'), variable('specs.a'),
    'variables[0].expression', 'specs.a', place(1, undeclared('specs'), 'specs.a')),
  cel('spec.variables.expression.order', 'Variable expression',
    variables(named('a'), { name: 'b', expression: 'variables.a' }),
    variables({ name: 'b', expression: 'variables.a' }, named('a')), 'variables[0].expression', 'variables.a',
    place(10, "undefined field 'a'", 'variables.a')),
  cel('spec.auditAnnotations.valueExpression.type', 'AuditAnnotation valueExpression', value('null'), value('1'),
    'auditAnnotations[0].valueExpression', '1', 'must evaluate to one of [string null_type] but got int'),
  ...matchResourcesRows('spec.matchConstraints').map(
    ([rule, spec, accepted, rejected, field, message]): RuleRow => [
      `spec.matchConstraints.${rule}`,
      spec,
      policy({ matchConstraints: { resourceRules: [podRule], ...accepted } }),
      policy({ matchConstraints: { resourceRules: [podRule], ...rejected } }),
      field,
      message,
    ],
  ),
];

const statusRows: RuleRow[] = [
  ['status.typeChecking.warning', `${SPEC_ROW} status`, withWarning({ fieldRef: 'spec.validations[0].expression', warning: 'x' }),
    withWarning({ fieldRef: 'spec.validations[0].expression' }), 'status.typeChecking.expressionWarnings[0].warning',
    'Required value'],
  ['status.typeChecking.fieldRef', `${SPEC_ROW} status`, withWarning({ fieldRef: 'spec', warning: 'x' }),
    withWarning({ warning: 'x' }), 'status.typeChecking.expressionWarnings[0].fieldRef', 'Required value'],
  ['status.conditions', `${SPEC_ROW} status`, withCondition({}), withCondition({ reason: '' }), 'status.conditions[0].reason',
    'Required value'],
];

/** The rules of ValidatingAdmissionPolicy. */
export const validatingAdmissionPolicyRules: readonly RuleCase[] = [
  ...rows.map(toRule),
  ...statusRows.map((row): RuleCase => ({ ...toRule(row), old: policy({}), subresource: 'status' })),
  {
    rule: 'ValidatingAdmissionPolicy.spec.failurePolicy.default',
    spec: `${SPEC_ROW} failurePolicy`,
    accepted: policy({}),
    effect: { path: 'spec.failurePolicy', value: 'Fail' },
  },
  {
    rule: 'ValidatingAdmissionPolicy.spec.matchConstraints.defaults',
    spec: 'MatchResources',
    accepted: policy({}),
    effect: {
      path: 'spec.matchConstraints',
      value: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ ...podRule, scope: '*' }],
      },
    },
  },
  {
    rule: 'ValidatingAdmissionPolicy.spec.matchConditions.empty',
    spec: `${SPEC_ROW} matchConditions`,
    accepted: policy({ matchConditions: [] }),
  },
  {
    rule: 'ValidatingAdmissionPolicy.spec.validations.reason',
    spec: 'Validation reason',
    accepted: validation({ reason: 'RequestEntityTooLarge' }),
    rejected: validation({ reason: 'NotFound' }),
    field: 'spec.validations[0].reason',
    type: 'FieldValueNotSupported',
    message:
      'Unsupported value: "NotFound": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"',
    deviation: 'The specification has the reason Unauthorized; Kubernetes 1.34 refuses it.',
  },
  {
    rule: 'ValidatingAdmissionPolicy.spec.validations.reason.unauthorized',
    spec: 'Validation reason',
    accepted: validation({ reason: 'Unauthorized' }),
    deviation: 'The specification has the reason Unauthorized; Kubernetes 1.34 refuses it.',
  },
  {
    rule: 'ValidatingAdmissionPolicy.spec.validations.message.required',
    spec: 'Validation message',
    accepted: validation({ expression: 'true &&\ntrue', message: 'must be so' }),
    rejected: validation({ expression: 'true &&\ntrue' }),
    field: 'spec.validations[0].message',
    type: 'FieldValueRequired',
    message: 'Required value: message must be specified if expression contains line breaks',
    deviation: 'The specification asks for a message beside an expression of several lines; Kubernetes 1.34 does not.',
  },
  {
    rule: 'ValidatingAdmissionPolicy.spec.variables.name.unique',
    spec: 'Variable name',
    accepted: variables(named('foo'), named('bar')),
    rejected: variables(named('foo'), named('foo')),
    field: 'spec.variables[1].name',
    type: 'FieldValueDuplicate',
    message: 'Duplicate value: "foo"',
    deviation: 'The specification asks for unique names of variables; Kubernetes 1.34 does not look.',
  },
];
