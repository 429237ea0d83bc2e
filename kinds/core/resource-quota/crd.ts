import type { JsonObject } from '../../../core/meta/json.ts';
import { deriveSchema } from '../../derive-schema.ts';
import { DECIMAL_REFUSED, isStandardQuotaName, listTexts, quotaAmountsField } from '../crd-amounts.ts';
import type { CrdNotes, CrdRule } from '../../crd-notes.ts';
import { quotaClaimsSchema, quotaCountSchema } from './claims-schema.ts';
import { MAX_CLAIMS } from './quota-claim.ts';
import { conflictingScopes, resourcesOfScope, scopesWithoutValues } from './scopes.ts';

/** Scopes, or requirements on them, of one quota; there are seven scopes. */
const MAX_SCOPES = 50;
/** Values of one requirement, such as names of priority classes. */
const MAX_VALUES = 1000;

/** Scopes that go with the same resources, with these. */
function groupScopes(): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [scope, resources] of resourcesOfScope) {
    const key = listTexts(resources);
    groups.set(key, [...(groups.get(key) ?? []), scope]);
  }
  return groups;
}

/** Rules that hold wherever scopes are named; `names(scopes)` is CEL for whether one of the scopes is. */
function scopeRules(fieldPath: string, names: (scopes: readonly string[]) => string): CrdRule[] {
  const resourceRules = [...groupScopes()].map(([resources, scopes]): CrdRule => ({
    rule: `!has(self.hard) || !(${names(scopes)}) || self.hard.all(name, !${isStandardQuotaName('name')} || name in ${resources})`,
    message: `unsupported scope applied to resource: ${scopes.join(', ')} only with ${resources.slice(1, -1).replaceAll("'", '')}`,
    fieldPath,
  }));
  const pairRules = conflictingScopes.map((pair): CrdRule => ({
    rule: `!(${names([pair[0]])}) || !(${names([pair[1]])})`,
    message: `conflicting scopes: ${pair.join(' and ')}`,
    fieldPath,
  }));
  return [...resourceRules, ...pairRules];
}

function quota(spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'example' }, spec };
}

/** What the CustomResourceDefinition of ResourceQuota says beyond the schema. */
export const resourceQuotaCrd: CrdNotes = {
  columns: [
    { name: 'Used', type: 'string', description: 'Use of each resource.', priority: 0, jsonPath: '.status.used' },
    { name: 'Hard', type: 'string', description: 'Limit of each resource.', priority: 0, jsonPath: '.status.hard' },
    { name: 'Age', type: 'date', description: 'Age.', priority: 0, jsonPath: '.metadata.creationTimestamp' },
  ],
  additions: { 'status.claims': deriveSchema(quotaClaimsSchema), 'status.count': deriveSchema(quotaCountSchema) },
  fields: {
    spec: {
      default: {},
      rules: [
        ...scopeRules('.scopes', (scopes) => `has(self.scopes) && self.scopes.exists(s, s in ${listTexts(scopes)})`),
        ...scopeRules(
          '.scopeSelector',
          (scopes) =>
            'has(self.scopeSelector) && has(self.scopeSelector.matchExpressions) && ' +
            `self.scopeSelector.matchExpressions.exists(e, e.scopeName in ${listTexts(scopes)})`,
        ),
        {
          rule:
            '(has(self.scopes) ? self.scopes : []).all(s, has(oldSelf.scopes) && s in oldSelf.scopes) && ' +
            '(has(oldSelf.scopes) ? oldSelf.scopes : []).all(s, has(self.scopes) && s in self.scopes)',
          message: 'field is immutable',
          fieldPath: '.scopes',
        },
      ],
    },
    'spec.hard': quotaAmountsField,
    'spec.scopes': { maxItems: MAX_SCOPES },
    'spec.scopeSelector.matchExpressions': { maxItems: MAX_SCOPES },
    'spec.scopeSelector.matchExpressions[]': {
      required: ['scopeName', 'operator'],
      rules: [
        {
          rule: `!(self.scopeName in ${listTexts(scopesWithoutValues)}) || self.operator == 'Exists'`,
          message: `must be 'Exists' when scope is any of ${[...scopesWithoutValues].join(', ')}`,
          fieldPath: '.operator',
        },
        {
          rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
          message: "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
          reason: 'FieldValueRequired',
          fieldPath: '.values',
        },
        {
          rule: "self.operator in ['In', 'NotIn'] || !has(self.values) || size(self.values) == 0",
          message: "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
          fieldPath: '.values',
        },
      ],
    },
    'spec.scopeSelector.matchExpressions[].values': { maxItems: MAX_VALUES },
    'status.hard': quotaAmountsField,
    'status.used': quotaAmountsField,
    'status.claims': { maxItems: MAX_CLAIMS },
    'status.count': { required: ['generation', 'serial'] },
  },
  exceptions: [
    {
      rule: 'ResourceQuota.spec.hard.rounding',
      effect: 'not-defaulted',
      reason: 'A definition cannot compute a default.',
    },
    {
      rule: 'ResourceQuota.spec.hard.null',
      effect: 'not-defaulted',
      reason: 'The host drops a null, which otherwise stands for 0.',
      example: quota({ hard: { pods: null } }),
    },
    {
      rule: 'ResourceQuota.spec.hard.decimal',
      effect: 'refused',
      reason: DECIMAL_REFUSED,
      example: quota({ hard: { cpu: 0.5 } }),
    },
  ],
};
