import type { CrdFieldNotes, CrdNotes, CrdRule } from '../../crd-notes.ts';
import { flowConditionFields } from '../crd-conditions.ts';
import { countEntropyBits, MAX_HASH_BITS, MAX_QUEUES } from './validate.ts';

const shares: CrdFieldNotes = { minimum: 0 };
const percent: CrdFieldNotes = { default: 0, minimum: 0, maximum: 100 };
const DEFAULT_QUEUES = 64;
const DEFAULT_HAND_SIZE = 8;
const DEFAULT_QUEUE_LENGTH = 50;

/** The most queues for hands of 1, 2 and so on; of greater hands none can be dealt. */
function listMostQueues(): number[] {
  const most: number[] = [];
  for (let handSize = 1; ; handSize += 1) {
    let [low, high] = [0, MAX_QUEUES];
    while (low < high) {
      const queues = Math.ceil((low + high) / 2);
      if (countEntropyBits(queues, handSize) <= MAX_HASH_BITS) low = queues;
      else high = queues - 1;
    }
    if (low < handSize) return most;
    most.push(low);
  }
}

// 0 stands for the default in both fields.
const queues = `(self.queues == 0 ? ${DEFAULT_QUEUES} : self.queues)`;
const handSize = `(self.handSize == 0 ? ${DEFAULT_HAND_SIZE} : self.handSize)`;
const mostQueues = listMostQueues();

const queuingRules: readonly CrdRule[] = [
  { rule: `${handSize} <= ${queues}`, message: 'should not be greater than queues', fieldPath: '.handSize' },
  {
    rule: `${handSize} > ${queues} || (${handSize} <= ${mostQueues.length} && ${queues} <= [${mostQueues.join(', ')}][${handSize} - 1])`,
    message: `required entropy bits of queues and handSize should not be greater than ${MAX_HASH_BITS}`,
    fieldPath: '.handSize',
  },
];

const specRules: readonly CrdRule[] = [
  {
    rule: "self.type != 'Exempt' || !has(self.limited)",
    message: 'must be nil if the type is not Limited',
    reason: 'FieldValueForbidden',
    fieldPath: '.limited',
  },
  {
    rule: "self.type != 'Limited' || !has(self.exempt)",
    message: 'must be nil if the type is Limited',
    reason: 'FieldValueForbidden',
    fieldPath: '.exempt',
  },
  {
    rule: "self.type != 'Limited' || has(self.limited)",
    message: 'must not be empty when type is Limited',
    reason: 'FieldValueRequired',
    fieldPath: '.limited',
  },
];

const limitResponseRules: readonly CrdRule[] = [
  {
    rule: "self.type != 'Reject' || !has(self.queuing)",
    message: 'must be nil if limited.limitResponse.type is not Limited',
    reason: 'FieldValueForbidden',
    fieldPath: '.queuing',
  },
  {
    rule: "self.type != 'Queue' || has(self.queuing)",
    message: 'must not be empty if limited.limitResponse.type is Limited',
    reason: 'FieldValueRequired',
    fieldPath: '.queuing',
  },
];

const catchAllParts = [
  "self.spec.type == 'Limited'",
  'has(self.spec.limited)',
  'self.spec.limited.nominalConcurrencyShares == 5',
  'self.spec.limited.lendablePercent == 0',
  '!has(self.spec.limited.borrowingLimitPercent)',
  "self.spec.limited.limitResponse.type == 'Reject'",
];

/** What the CustomResourceDefinition of PriorityLevelConfiguration says beyond the schema. */
export const priorityLevelConfigurationCrd: CrdNotes = {
  columns: [
    { name: 'Type', type: 'string', description: 'Exempt or Limited.', priority: 0, jsonPath: '.spec.type' },
    {
      name: 'NominalConcurrencyShares',
      type: 'integer',
      description: 'Share of the concurrency of the server.',
      priority: 0,
      jsonPath: '.spec.limited.nominalConcurrencyShares',
    },
    {
      name: 'Queues',
      type: 'integer',
      description: 'How many queues there are.',
      priority: 0,
      jsonPath: '.spec.limited.limitResponse.queuing.queues',
    },
    {
      name: 'HandSize',
      type: 'integer',
      description: 'How many queues a flow may use.',
      priority: 0,
      jsonPath: '.spec.limited.limitResponse.queuing.handSize',
    },
    {
      name: 'QueueLengthLimit',
      type: 'integer',
      description: 'How many requests may wait in one queue.',
      priority: 0,
      jsonPath: '.spec.limited.limitResponse.queuing.queueLengthLimit',
    },
    { name: 'Age', type: 'date', description: 'Age.', priority: 0, jsonPath: '.metadata.creationTimestamp' },
  ],
  fields: {
    '': {
      required: ['spec'],
      rules: [
        {
          rule: "(self.metadata.name == 'exempt') == (self.spec.type == 'Exempt')",
          message: "must be 'Exempt' if and only if `name` is 'exempt'",
          fieldPath: '.spec.type',
        },
        {
          rule: `self.metadata.name != 'catch-all' || (${catchAllParts.join(' && ')})`,
          message: "spec of 'catch-all' must equal the fixed value",
          fieldPath: '.spec',
        },
      ],
    },
    spec: { required: ['type'], rules: specRules },
    'spec.type': { enum: ['Exempt', 'Limited'] },
    'spec.limited': { required: ['limitResponse'] },
    'spec.limited.nominalConcurrencyShares': { ...shares, default: 30 },
    'spec.limited.lendablePercent': percent,
    'spec.limited.borrowingLimitPercent': { minimum: 1 },
    'spec.limited.limitResponse': { required: ['type'], rules: limitResponseRules },
    'spec.limited.limitResponse.type': { enum: ['Queue', 'Reject'] },
    'spec.limited.limitResponse.queuing': { rules: queuingRules },
    'spec.limited.limitResponse.queuing.queues': { default: DEFAULT_QUEUES, minimum: 0, maximum: MAX_QUEUES },
    'spec.limited.limitResponse.queuing.handSize': { default: DEFAULT_HAND_SIZE, minimum: 0 },
    'spec.limited.limitResponse.queuing.queueLengthLimit': { default: DEFAULT_QUEUE_LENGTH, minimum: 0 },
    'spec.exempt.nominalConcurrencyShares': { ...shares, default: 0 },
    'spec.exempt.lendablePercent': percent,
    ...flowConditionFields('status.conditions'),
  },
  exceptions: [
    {
      rule: 'PriorityLevelConfiguration.annotations.preserve-zero',
      effect: 'not-refused',
      reason: 'CEL on a host sees no annotations.',
    },
  ],
};
