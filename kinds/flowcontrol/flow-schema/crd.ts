import { namePatterns } from '../../../core/validation/names.ts';
import { subdomainField, wholePattern, wildcardRule } from '../../crd-fields.ts';
import type { CrdFieldNotes, CrdFields, CrdNotes, CrdRule } from '../../crd-notes.ts';
import { flowConditionFields } from '../crd-conditions.ts';
import { flowVerbs } from './validate-rules.ts';

/** Entries of spec.rules, and subjects or rules of one entry. */
const MAX_RULES = 100;
const MAX_PARTS = 200;
/** Verbs, groups, resources, namespaces or URLs of one rule. */
const MAX_NAMES = 200;

const { dns1123Label, dns1123Subdomain } = namePatterns;
const orAll = (pattern: string): string => String.raw`\*|${pattern}`;
const names = (others: string): CrdFieldNotes => ({ minItems: 1, maxItems: MAX_NAMES, rules: [wildcardRule(others)] });
const verb: CrdFieldNotes = { enum: ['*', ...flowVerbs] };
const MAX_TEXT = 512;

const subjects = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const;
const subjectRules = subjects.flatMap(([kind, field]): CrdRule[] => [
  {
    rule: `self.kind != '${kind}' || has(self.${field})`,
    message: `${field} is required when subject kind is '${kind}'`,
    reason: 'FieldValueRequired',
    fieldPath: `.${field}`,
  },
  {
    rule: `self.kind == '${kind}' || !has(self.${field})`,
    message: `${field} is forbidden when subject kind is not '${kind}'`,
    reason: 'FieldValueForbidden',
    fieldPath: `.${field}`,
  },
]);

const RULES = 'spec.rules[]';
const ruleFields: CrdFields = {
  'spec.rules': { maxItems: MAX_RULES },
  [RULES]: {
    required: ['subjects'],
    rules: [
      {
        rule:
          '(has(self.resourceRules) && size(self.resourceRules) > 0) || ' +
          '(has(self.nonResourceRules) && size(self.nonResourceRules) > 0)',
        message: 'at least one of resourceRules and nonResourceRules has to be non-empty',
        reason: 'FieldValueRequired',
      },
    ],
  },
  [`${RULES}.subjects`]: { minItems: 1, maxItems: MAX_PARTS },
  [`${RULES}.subjects[]`]: { required: ['kind'], rules: subjectRules },
  [`${RULES}.subjects[].kind`]: { enum: subjects.map(([kind]) => kind) },
  [`${RULES}.subjects[].user`]: { required: ['name'] },
  [`${RULES}.subjects[].user.name`]: { minLength: 1 },
  [`${RULES}.subjects[].group`]: { required: ['name'] },
  [`${RULES}.subjects[].group.name`]: { minLength: 1 },
  [`${RULES}.subjects[].serviceAccount`]: { required: ['namespace', 'name'] },
  [`${RULES}.subjects[].serviceAccount.namespace`]: wholePattern(dns1123Label, 63),
  [`${RULES}.subjects[].serviceAccount.name`]: wholePattern(orAll(dns1123Subdomain), 253),
  [`${RULES}.resourceRules`]: { maxItems: MAX_PARTS },
  [`${RULES}.resourceRules[]`]: {
    required: ['verbs', 'apiGroups', 'resources'],
    rules: [
      {
        rule: '(has(self.namespaces) && size(self.namespaces) > 0) || (has(self.clusterScope) && self.clusterScope)',
        message: 'resource rules that are not cluster scoped must supply at least one namespace',
        reason: 'FieldValueRequired',
        fieldPath: '.namespaces',
      },
    ],
  },
  [`${RULES}.resourceRules[].verbs`]: names('verbs'),
  [`${RULES}.resourceRules[].verbs[]`]: verb,
  [`${RULES}.resourceRules[].apiGroups`]: names('api groups'),
  [`${RULES}.resourceRules[].apiGroups[]`]: { maxLength: MAX_TEXT },
  [`${RULES}.resourceRules[].resources`]: names('resources'),
  [`${RULES}.resourceRules[].resources[]`]: { maxLength: MAX_TEXT },
  [`${RULES}.resourceRules[].namespaces`]: { maxItems: MAX_NAMES, rules: [wildcardRule('namespaces')] },
  [`${RULES}.resourceRules[].namespaces[]`]: wholePattern(orAll(dns1123Label), 63),
  [`${RULES}.nonResourceRules`]: { maxItems: MAX_PARTS },
  [`${RULES}.nonResourceRules[]`]: { required: ['verbs', 'nonResourceURLs'] },
  [`${RULES}.nonResourceRules[].verbs`]: names('verbs'),
  [`${RULES}.nonResourceRules[].verbs[]`]: verb,
  [`${RULES}.nonResourceRules[].nonResourceURLs`]: names('non-resource URLs'),
  [`${RULES}.nonResourceRules[].nonResourceURLs[]`]: {
    ...wholePattern(String.raw`\*|/|(/[^ */]+)+/?|(/[^ */]+)*/\*`),
    maxLength: 2048,
  },
};

const ALL_REQUESTS =
  'size(self.spec.rules[0].resourceRules) == 1 && size(self.spec.rules[0].nonResourceRules) == 1 && ' +
  "self.spec.rules[0].resourceRules[0].verbs == ['*'] && self.spec.rules[0].resourceRules[0].apiGroups == ['*'] && " +
  "self.spec.rules[0].resourceRules[0].resources == ['*'] && self.spec.rules[0].resourceRules[0].namespaces == ['*'] && " +
  'self.spec.rules[0].resourceRules[0].clusterScope && ' +
  "self.spec.rules[0].nonResourceRules[0].verbs == ['*'] && self.spec.rules[0].nonResourceRules[0].nonResourceURLs == ['*']";

function mandatoryRule(name: string, ...parts: string[]): CrdRule {
  const conditions = [
    `self.spec.priorityLevelConfiguration.name == '${name}'`,
    'has(self.spec.rules)',
    'size(self.spec.rules) == 1',
    'has(self.spec.rules[0].resourceRules)',
    'has(self.spec.rules[0].nonResourceRules)',
    'has(self.spec.rules[0].resourceRules[0].namespaces)',
    'has(self.spec.rules[0].resourceRules[0].clusterScope)',
    ...parts,
    ALL_REQUESTS,
  ];
  return {
    rule: `self.metadata.name != '${name}' || (${conditions.join(' && ')})`,
    message: `spec of '${name}' must equal the fixed value`,
    fieldPath: '.spec',
  };
}

function isGroup(index: number, name: string): string {
  const subject = `self.spec.rules[0].subjects[${index}]`;
  return `has(${subject}.group) && ${subject}.group.name == '${name}'`;
}

/** What the CustomResourceDefinition of FlowSchema says beyond the schema. */
export const flowSchemaCrd: CrdNotes = {
  columns: [
    {
      name: 'PriorityLevel',
      type: 'string',
      description: 'Priority level of the requests.',
      priority: 0,
      jsonPath: '.spec.priorityLevelConfiguration.name',
    },
    {
      name: 'MatchingPrecedence',
      type: 'integer',
      description: 'The least number among the matching schemas wins.',
      priority: 0,
      jsonPath: '.spec.matchingPrecedence',
    },
    {
      name: 'DistinguisherMethod',
      type: 'string',
      description: 'What tells flows apart.',
      priority: 0,
      jsonPath: '.spec.distinguisherMethod.type',
    },
    { name: 'Age', type: 'date', description: 'Age.', priority: 0, jsonPath: '.metadata.creationTimestamp' },
    {
      name: 'MissingPL',
      type: 'string',
      description: 'Whether the priority level cannot be resolved.',
      priority: 0,
      jsonPath: '.status.conditions[?(@.type=="Dangling")].status',
    },
  ],
  fields: {
    '': {
      required: ['spec'],
      rules: [
        {
          rule: "self.metadata.name == 'exempt' || self.spec.matchingPrecedence != 1",
          message: "only the schema named 'exempt' may have matchingPrecedence 1",
          fieldPath: '.spec.matchingPrecedence',
        },
        mandatoryRule(
          'exempt',
          'self.spec.matchingPrecedence == 1',
          '!has(self.spec.distinguisherMethod)',
          'size(self.spec.rules[0].subjects) == 1',
          isGroup(0, 'system:masters'),
        ),
        mandatoryRule(
          'catch-all',
          'self.spec.matchingPrecedence == 10000',
          'has(self.spec.distinguisherMethod)',
          "self.spec.distinguisherMethod.type == 'ByUser'",
          'size(self.spec.rules[0].subjects) == 2',
          isGroup(0, 'system:unauthenticated'),
          isGroup(1, 'system:authenticated'),
        ),
      ],
    },
    spec: { required: ['priorityLevelConfiguration'] },
    'spec.priorityLevelConfiguration': { required: ['name'] },
    'spec.priorityLevelConfiguration.name': subdomainField,
    // 0 passes: it stands for the default.
    'spec.matchingPrecedence': { default: 1000, minimum: 0, maximum: 10_000 },
    'spec.distinguisherMethod': { required: ['type'] },
    'spec.distinguisherMethod.type': { enum: ['ByNamespace', 'ByUser'] },
    ...ruleFields,
    ...flowConditionFields('status.conditions'),
  },
  exceptions: [
    {
      rule: 'FlowSchema.spec.rules.resourceRules.verbs.repeated',
      effect: 'refused',
      reason: 'The list is a set, and a host refuses a set with a repeated value.',
      example: {
        apiVersion: 'flowcontrol.apiserver.{domain}/v1',
        kind: 'FlowSchema',
        metadata: { name: 'example' },
        spec: {
          priorityLevelConfiguration: { name: 'level' },
          rules: [
            {
              subjects: [{ kind: 'User', user: { name: 'alice' } }],
              nonResourceRules: [{ verbs: ['get', 'get'], nonResourceURLs: ['/healthz'] }],
            },
          ],
        },
      },
    },
  ],
};
