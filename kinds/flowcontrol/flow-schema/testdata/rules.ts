import type { JsonObject } from '../../../../core/meta/json.ts';
import { makeRuleCase } from '../../../rule-case.ts';
import type { RuleCase, RuleRow } from '../../../rule-case.ts';

function schema(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'flowcontrol.apiserver.{domain}/v1',
    kind: 'FlowSchema',
    metadata: { name: 'rule' },
    ...more,
    spec: { priorityLevelConfiguration: { name: 'level' }, ...spec },
  };
}

const user = { kind: 'User', user: { name: 'alice' } };
const resourceRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['default'] };
const urlRule = { verbs: ['get'], nonResourceURLs: ['/healthz'] };
const rules = (change: JsonObject): JsonObject =>
  schema({ rules: [{ subjects: [user], resourceRules: [resourceRule], ...change }] });
const subject = (value: JsonObject): JsonObject => rules({ subjects: [value] });
const resource = (change: JsonObject): JsonObject => rules({ resourceRules: [{ ...resourceRule, ...change }] });
const url = (change: JsonObject): JsonObject => rules({ nonResourceRules: [{ ...urlRule, ...change }] });
const withConditions = (...conditions: JsonObject[]): JsonObject => schema({}, { status: { conditions } });

const RULE = 'spec.rules[0]';
const VERBS =
  'supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"';
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";


const toRule = (row: RuleRow): RuleCase => makeRuleCase('FlowSchema', row);

const rows: RuleRow[] = [
  ['spec.matchingPrecedence.least', 'Limits FlowSchema.matchingPrecedence', schema({ matchingPrecedence: 2 }),
    schema({ matchingPrecedence: -1 }), 'spec.matchingPrecedence', 'Invalid value: -1: must be a positive value'],
  ['spec.matchingPrecedence.greatest', 'Limits FlowSchema.matchingPrecedence', schema({ matchingPrecedence: 10000 }),
    schema({ matchingPrecedence: 10001 }), 'spec.matchingPrecedence',
    'Invalid value: 10001: must not be greater than 10000'],
  ['spec.matchingPrecedence.one', 'Kubernetes 1.34', schema({ matchingPrecedence: 2 }),
    schema({ matchingPrecedence: 1 }), 'spec.matchingPrecedence',
    "Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  ['spec.distinguisherMethod.type', 'FlowSchema distinguisherMethod.type',
    schema({ distinguisherMethod: { type: 'ByNamespace' } }), schema({ distinguisherMethod: { type: 'ByMood' } }),
    'spec.distinguisherMethod.type',
    'Unsupported value: {"Type":"ByMood"}: supported values: "ByNamespace", "ByUser"'],
  ['spec.priorityLevelConfiguration.name.required', 'FlowSchema priorityLevelConfiguration.name', schema({}),
    schema({ priorityLevelConfiguration: {} }), 'spec.priorityLevelConfiguration.name',
    'Required value: must reference a priority level'],
  ['spec.priorityLevelConfiguration.name', 'FlowSchema priorityLevelConfiguration.name', schema({}),
    schema({ priorityLevelConfiguration: { name: 'Level' } }), 'spec.priorityLevelConfiguration.name',
    `Invalid value: "Level": ${SUBDOMAIN}`],
  ['spec.rules.subjects', 'PolicyRulesWithSubjects subjects', rules({ subjects: [user, user] }), rules({ subjects: [] }),
    `${RULE}.subjects`, 'Required value: subjects must contain at least one value'],
  ['spec.rules.required', 'PolicyRulesWithSubjects', rules({ resourceRules: [], nonResourceRules: [urlRule] }),
    rules({ resourceRules: [] }), RULE,
    'Required value: at least one of resourceRules and nonResourceRules has to be non-empty'],
  ['spec.rules.subjects.kind', 'Subject kind', subject({ kind: 'Group', group: { name: 'system:authenticated' } }),
    subject({ kind: 'Robot' }), `${RULE}.subjects[0].kind`,
    'Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"'],
  ['spec.rules.subjects.user.required', 'Subject kind', subject(user), subject({ kind: 'User' }),
    `${RULE}.subjects[0].user`, "Required value: user is required when subject kind is 'User'"],
  ['spec.rules.subjects.user.name', 'Subject user.name', subject({ kind: 'User', user: { name: '*' } }),
    subject({ kind: 'User', user: {} }), `${RULE}.subjects[0].user.name`, 'Required value'],
  ['spec.rules.subjects.user.forbidden', 'Subject kind', subject({ kind: 'Group', group: { name: 'g' } }),
    subject({ kind: 'Group', group: { name: 'g' }, user: { name: 'a' } }), `${RULE}.subjects[0].user`,
    "Forbidden: user is forbidden when subject kind is not 'User'"],
  ['spec.rules.subjects.group.required', 'Subject kind', subject({ kind: 'Group', group: { name: '*' } }),
    subject({ kind: 'Group' }), `${RULE}.subjects[0].group`, "Required value: group is required when subject kind is 'Group'"],
  ['spec.rules.subjects.group.name', 'Subject kind', subject({ kind: 'Group', group: { name: 'g' } }),
    subject({ kind: 'Group', group: {} }), `${RULE}.subjects[0].group.name`, 'Required value'],
  ['spec.rules.subjects.group.forbidden', 'Subject kind', subject(user), subject({ ...user, group: { name: 'g' } }),
    `${RULE}.subjects[0].group`, "Forbidden: group is forbidden when subject kind is not 'Group'"],
  ['spec.rules.subjects.serviceAccount.required', 'Subject kind',
    subject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b' } }), subject({ kind: 'ServiceAccount' }),
    `${RULE}.subjects[0].serviceAccount`, "Required value: serviceAccount is required when subject kind is 'ServiceAccount'"],
  ['spec.rules.subjects.serviceAccount.forbidden', 'Subject kind', subject(user),
    subject({ ...user, serviceAccount: { namespace: 'a', name: 'b' } }), `${RULE}.subjects[0].serviceAccount`,
    "Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'"],
  ['spec.rules.subjects.serviceAccount.name.required', 'Subject serviceAccount.name',
    subject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: '*' } }),
    subject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'a' } }), `${RULE}.subjects[0].serviceAccount.name`,
    'Required value'],
  ['spec.rules.subjects.serviceAccount.name', 'Subject serviceAccount.name',
    subject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b.c' } }),
    subject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'B' } }),
    `${RULE}.subjects[0].serviceAccount.name`, `Invalid value: "B": ${SUBDOMAIN}`],
  ['spec.rules.subjects.serviceAccount.namespace.required', 'Subject serviceAccount.namespace',
    subject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b' } }),
    subject({ kind: 'ServiceAccount', serviceAccount: { name: 'b' } }), `${RULE}.subjects[0].serviceAccount.namespace`,
    'Required value: must specify namespace for service account'],
  ['spec.rules.subjects.serviceAccount.namespace', 'Subject serviceAccount.namespace',
    subject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b' } }),
    subject({ kind: 'ServiceAccount', serviceAccount: { namespace: '*', name: 'b' } }),
    `${RULE}.subjects[0].serviceAccount.namespace`, `Invalid value: "*": ${LABEL}`],
  ['spec.rules.nonResourceRules.verbs', 'nonResourceRules verbs', url({ verbs: ['*'] }), url({ verbs: [] }),
    `${RULE}.nonResourceRules[0].verbs`, 'Required value: verbs must contain at least one value'],
  ['spec.rules.nonResourceRules.verbs.wildcard', 'nonResourceRules verbs', url({ verbs: ['get', 'list'] }),
    url({ verbs: ['get', '*'] }), `${RULE}.nonResourceRules[0].verbs`,
    `Invalid value: ["get","*"]: if '*' is present, must not specify other verbs`],
  ['spec.rules.nonResourceRules.verbs.supported', 'Kubernetes 1.34', url({ verbs: ['proxy'] }), url({ verbs: ['head'] }),
    `${RULE}.nonResourceRules[0].verbs`, `Unsupported value: ["head"]: ${VERBS}`],
  ['spec.rules.nonResourceRules.nonResourceURLs', 'nonResourceRules nonResourceURLs', url({}), url({ nonResourceURLs: [] }),
    `${RULE}.nonResourceRules[0].nonResourceURLs`, 'Required value: nonResourceURLs must contain at least one value'],
  ['spec.rules.nonResourceRules.nonResourceURLs.wildcard', 'nonResourceRules nonResourceURLs',
    url({ nonResourceURLs: ['*'] }), url({ nonResourceURLs: ['/a', '*'] }), `${RULE}.nonResourceRules[0].nonResourceURLs`,
    `Invalid value: ["/a","*"]: if '*' is present, must not specify other non-resource URLs`],
  ['spec.rules.nonResourceRules.nonResourceURLs.suffix', 'nonResourceRules nonResourceURLs',
    url({ nonResourceURLs: ['/hea', '/hea/*', '/healthz/*'] }), url({ nonResourceURLs: ['/hea*'] }),
    `${RULE}.nonResourceRules[0].nonResourceURLs[0]`, 'Invalid value: "/hea*": wildcard can only do suffix matching'],
  ['spec.rules.nonResourceRules.nonResourceURLs.slash', 'nonResourceRules nonResourceURLs',
    url({ nonResourceURLs: ['/'] }), url({ nonResourceURLs: ['healthz'] }),
    `${RULE}.nonResourceRules[0].nonResourceURLs[0]`, 'Invalid value: "healthz": must start with slash'],
  ['spec.rules.nonResourceRules.nonResourceURLs.space', 'Kubernetes 1.34', url({ nonResourceURLs: ['/a-b'] }),
    url({ nonResourceURLs: ['/a b'] }), `${RULE}.nonResourceRules[0].nonResourceURLs[0]`,
    'Invalid value: "/a b": must not contain white-space'],
  ['spec.rules.nonResourceRules.nonResourceURLs.double', 'Kubernetes 1.34', url({ nonResourceURLs: ['/a/b'] }),
    url({ nonResourceURLs: ['/a//b'] }), `${RULE}.nonResourceRules[0].nonResourceURLs[0]`,
    'Invalid value: "/a//b": must not contain double slash'],
  ['spec.rules.nonResourceRules.nonResourceURLs.empty', 'Kubernetes 1.34', url({ nonResourceURLs: ['/a'] }),
    url({ nonResourceURLs: [''] }), `${RULE}.nonResourceRules[0].nonResourceURLs[0]`,
    'Invalid value: "": must not be empty'],
  ['spec.rules.resourceRules.verbs', 'resourceRules verbs', resource({ verbs: ['*'] }), resource({ verbs: [] }),
    `${RULE}.resourceRules[0].verbs`, 'Required value: verbs must contain at least one value'],
  ['spec.rules.resourceRules.verbs.wildcard', 'resourceRules verbs', resource({ verbs: ['get', 'watch'] }),
    resource({ verbs: ['*', 'get'] }), `${RULE}.resourceRules[0].verbs`,
    `Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`],
  ['spec.rules.resourceRules.verbs.supported', 'Kubernetes 1.34', resource({ verbs: ['deletecollection'] }),
    resource({ verbs: ['fetch'] }), `${RULE}.resourceRules[0].verbs`, `Unsupported value: ["fetch"]: ${VERBS}`],
  ['spec.rules.resourceRules.apiGroups', 'resourceRules apiGroups', resource({ apiGroups: ['apps'] }),
    resource({ apiGroups: [] }), `${RULE}.resourceRules[0].apiGroups`,
    'Required value: resource rules must supply at least one api group'],
  ['spec.rules.resourceRules.apiGroups.wildcard', 'resourceRules apiGroups', resource({ apiGroups: ['*'] }),
    resource({ apiGroups: ['', '*'] }), `${RULE}.resourceRules[0].apiGroups`,
    `Invalid value: ["","*"]: if '*' is present, must not specify other api groups`],
  ['spec.rules.resourceRules.resources', 'resourceRules resources', resource({ resources: ['nodes/status'] }),
    resource({ resources: [] }), `${RULE}.resourceRules[0].resources`,
    'Required value: resource rules must supply at least one resource'],
  ['spec.rules.resourceRules.resources.wildcard', 'resourceRules resources', resource({ resources: ['*'] }),
    resource({ resources: ['pods', '*'] }), `${RULE}.resourceRules[0].resources`,
    `Invalid value: ["pods","*"]: if '*' is present, must not specify other resources`],
  ['spec.rules.resourceRules.namespaces', 'resourceRules clusterScope', resource({ namespaces: [], clusterScope: true }),
    resource({ namespaces: [] }), `${RULE}.resourceRules[0].namespaces`,
    'Required value: resource rules that are not cluster scoped must supply at least one namespace'],
  ['spec.rules.resourceRules.namespaces.wildcard', 'resourceRules namespaces', resource({ namespaces: ['*'] }),
    resource({ namespaces: ['a', '*'] }), `${RULE}.resourceRules[0].namespaces`,
    `Invalid value: ["a","*"]: if '*' is present, must not specify other namespaces`],
  ['spec.rules.resourceRules.namespaces.name', 'resourceRules namespaces', resource({ namespaces: ['a', 'b'] }),
    resource({ namespaces: ['a', 'B'] }), `${RULE}.resourceRules[0].namespaces[1]`,
    `Invalid value: "B": each member of this list must be '*' or a DNS-1123 label; ${LABEL}`],
];

const statusRows: RuleRow[] = [
  ['status.conditions.type', 'FlowSchema status.conditions', withConditions({ type: 'Dangling', status: 'False' }),
    withConditions({ status: 'False' }), 'status.conditions[0].type', 'Required value'],
  ['status.conditions.unique', 'FlowSchema status.conditions', withConditions({ type: 'A' }, { type: 'B' }),
    withConditions({ type: 'A' }, { type: 'A' }), 'status.conditions[1].type', 'Duplicate value: "A"'],
];

const exemptSpec = {
  priorityLevelConfiguration: { name: 'exempt' },
  matchingPrecedence: 1,
  rules: [
    {
      subjects: [{ kind: 'Group', group: { name: 'system:masters' } }],
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    },
  ],
};
const exempt = (change: JsonObject): JsonObject =>
  schema({ ...exemptSpec, ...change }, { metadata: { name: 'exempt' } });

/** The rules of FlowSchema. */
export const flowSchemaRules: readonly RuleCase[] = [
  ...rows.map(toRule),
  ...statusRows.map((row): RuleCase => ({ ...toRule(row), old: schema({}), subresource: 'status' })),
  {
    rule: 'FlowSchema.spec.matchingPrecedence.default',
    spec: 'Limits FlowSchema.matchingPrecedence',
    accepted: schema({}),
    effect: { path: 'spec.matchingPrecedence', value: 1000 },
  },
  {
    rule: 'FlowSchema.spec.rules.empty',
    spec: 'FlowSchema rules',
    accepted: schema({ rules: [] }),
  },
  {
    rule: 'FlowSchema.mandatory',
    spec: 'Kubernetes 1.34',
    old: exempt({}),
    accepted: exempt({}),
    rejected: schema(
      { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 2 },
      { metadata: { name: 'exempt' } },
    ),
    field: 'spec',
    type: 'FieldValueInvalid',
    message:
      'Invalid value: {"PriorityLevelConfiguration":{"Name":"exempt"},"MatchingPrecedence":2,"DistinguisherMethod":null,' +
      `"Rules":null}: spec of 'exempt' must equal the fixed value`,
  },
];
