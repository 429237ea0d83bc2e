import { labelSelectorFields, portNamePatterns } from '../../crd-fields.ts';
import type { CrdFields, CrdNotes } from '../../crd-notes.ts';

/** Rules of one direction. */
const MAX_RULES = 500;
/** Peers, or ports, of one rule; an object of the host has room for some ten thousand in all. */
const MAX_PARTS = 1000;
const MAX_PORT = 65_535;

function peerFields(path: string): CrdFields {
  return {
    [path]: { maxItems: MAX_PARTS },
    [`${path}[]`]: {
      rules: [
        {
          rule: 'has(self.podSelector) || has(self.namespaceSelector) || has(self.ipBlock)',
          message: 'must specify a peer',
          reason: 'FieldValueRequired',
        },
        {
          rule: '!has(self.ipBlock) || !(has(self.podSelector) || has(self.namespaceSelector))',
          message: 'may not specify both ipBlock and another peer',
          reason: 'FieldValueForbidden',
        },
      ],
    },
    ...labelSelectorFields(`${path}[].podSelector`, false),
    ...labelSelectorFields(`${path}[].namespaceSelector`, false),
    [`${path}[].ipBlock`]: { required: ['cidr'] },
    [`${path}[].ipBlock.cidr`]: { format: 'cidr' },
    [`${path}[].ipBlock.except[]`]: { format: 'cidr' },
  };
}

function portFields(path: string): CrdFields {
  return {
    [path]: { maxItems: MAX_PARTS },
    [`${path}[]`]: {
      rules: [
        {
          rule: '!has(self.endPort) || (has(self.port) && type(self.port) == int && self.endPort >= self.port)',
          message: 'must be greater than or equal to `port`, which must be a number',
          fieldPath: '.endPort',
        },
      ],
    },
    [`${path}[].protocol`]: { default: 'TCP' },
    [`${path}[].port`]: {
      minimum: 1,
      maximum: MAX_PORT,
      maxLength: 15,
      allOf: portNamePatterns.map((pattern) => ({ pattern })),
    },
    [`${path}[].endPort`]: { minimum: 1, maximum: MAX_PORT },
  };
}

const OUTSIDE = 'Comparing each range of `except` with `cidr` costs more than the host grants a rule in CEL.';

/** What the CustomResourceDefinition of NetworkPolicy says beyond the schema. */
export const networkPolicyCrd: CrdNotes = {
  columns: [
    {
      name: 'Pod-Selector',
      type: 'string',
      description: 'Labels of the pods that the policy is for.',
      priority: 0,
      jsonPath: '.spec.podSelector.matchLabels',
    },
    { name: 'Types', type: 'string', description: 'Directions.', priority: 1, jsonPath: '.spec.policyTypes' },
    { name: 'Age', type: 'date', description: 'Age.', priority: 0, jsonPath: '.metadata.creationTimestamp' },
  ],
  fields: {
    spec: { default: {} },
    'spec.podSelector': { default: {} },
    ...labelSelectorFields('spec.podSelector', true),
    'spec.ingress': { maxItems: MAX_RULES },
    'spec.egress': { maxItems: MAX_RULES },
    ...peerFields('spec.ingress[].from'),
    ...peerFields('spec.egress[].to'),
    ...portFields('spec.ingress[].ports'),
    ...portFields('spec.egress[].ports'),
    'spec.policyTypes': { maxItems: 2 },
  },
  exceptions: [
    { rule: 'NetworkPolicy.spec.peer.ipBlock.except.outside', effect: 'not-refused', reason: OUTSIDE },
    { rule: 'NetworkPolicy.spec.peer.ipBlock.except.equal', effect: 'not-refused', reason: OUTSIDE },
    { rule: 'NetworkPolicy.spec.peer.ipBlock.except.family', effect: 'not-refused', reason: OUTSIDE },
    {
      rule: 'NetworkPolicy.spec.peer.namespaceSelector',
      effect: 'not-refused',
      reason:
        'Only CEL sees the keys of matchLabels, and looking at those of every peer costs more than the host grants.',
    },
    {
      rule: 'NetworkPolicy.spec.policyTypes.default',
      effect: 'not-defaulted',
      reason: 'The default depends on another field.',
    },
    {
      rule: 'NetworkPolicy.spec.policyTypes.default-egress',
      effect: 'not-defaulted',
      reason: 'The default depends on another field.',
    },
  ],
};
