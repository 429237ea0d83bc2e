import { conditionFields, labelSelectorFields } from '../../crd-fields.ts';
import type { CrdFieldNotes, CrdNotes } from '../../crd-notes.ts';

const amountField: CrdFieldNotes = {
  minimum: 0,
  maxLength: 20,
  rules: [
    {
      rule: "type(self) == int || self.matches('^0*(100|[0-9]{1,2})%$')",
      message: 'must be a number, or a percentage from 0% to 100%',
    },
  ],
};
const countField: CrdFieldNotes = { default: 0, minimum: 0 };

/** What the CustomResourceDefinition of PodDisruptionBudget says beyond the schema. */
export const podDisruptionBudgetCrd: CrdNotes = {
  columns: [
    {
      name: 'Min Available',
      type: 'string',
      description: 'How many pods must remain.',
      priority: 0,
      jsonPath: '.spec.minAvailable',
    },
    {
      name: 'Max Unavailable',
      type: 'string',
      description: 'How many pods may be missing.',
      priority: 0,
      jsonPath: '.spec.maxUnavailable',
    },
    {
      name: 'Allowed Disruptions',
      type: 'integer',
      description: 'How many pods may be disrupted now.',
      priority: 0,
      jsonPath: '.status.disruptionsAllowed',
    },
    { name: 'Age', type: 'date', description: 'Age.', priority: 0, jsonPath: '.metadata.creationTimestamp' },
  ],
  fields: {
    spec: {
      default: {},
      rules: [
        {
          rule: '!has(self.minAvailable) || !has(self.maxUnavailable)',
          message: 'minAvailable and maxUnavailable cannot be both set',
        },
      ],
    },
    'spec.minAvailable': amountField,
    'spec.maxUnavailable': amountField,
    ...labelSelectorFields('spec.selector', true),
    'status.disruptionsAllowed': countField,
    'status.currentHealthy': countField,
    'status.desiredHealthy': countField,
    'status.expectedPods': countField,
    ...conditionFields('status.conditions'),
  },
  exceptions: [
    {
      rule: 'PodDisruptionBudget.metadata.name',
      effect: 'refused',
      reason: 'A host asks for a DNS-1123 subdomain as the name of any custom resource.',
      example: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'My_Budget' }, spec: {} },
    },
  ],
};
