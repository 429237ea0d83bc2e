import type { JsonObject } from '../../../../core/meta/json.ts';
import { makeRuleCase } from '../../../rule-case.ts';
import type { RuleCase, RuleRow } from '../../../rule-case.ts';

function level(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'flowcontrol.apiserver.{domain}/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'rule' },
    ...more,
    spec,
  };
}

const reject = { limitResponse: { type: 'Reject' } };
const limited = (change: JsonObject): JsonObject => level({ type: 'Limited', limited: { ...reject, ...change } });
const response = (value: JsonObject): JsonObject => limited({ limitResponse: value });
const queuing = (value: JsonObject): JsonObject => response({ type: 'Queue', queuing: value });
const exempt = (spec: JsonObject): JsonObject => level({ type: 'Exempt', ...spec }, { metadata: { name: 'exempt' } });
const catchAll = (spec: JsonObject): JsonObject =>
  level(
    { type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0, ...reject, ...spec } },
    { metadata: { name: 'catch-all' } },
  );
const withConditions = (...conditions: JsonObject[]): JsonObject =>
  level({ type: 'Limited', limited: reject }, { status: { conditions } });

const EXEMPT_NAME = "must be 'Exempt' if and only if `name` is 'exempt'";
const QUEUING = 'spec.limited.limitResponse.queuing';
const LIMITS = 'PriorityLevelConfiguration';
const exemptStored = exempt({ exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } });


const toRule = (row: RuleRow): RuleCase => makeRuleCase('PriorityLevelConfiguration', row);

const rows: RuleRow[] = [
  ['spec.type', `${LIMITS} type`, limited({}), level({ type: 'Unlimited' }), 'spec.type',
    'Unsupported value: "Unlimited": supported values: "Exempt", "Limited"'],
  ['spec.type.name', 'Kubernetes 1.34', limited({}), level({ type: 'Exempt' }), 'spec.type',
    `Invalid value: "Exempt": ${EXEMPT_NAME}`],
  ['spec.exempt.limited', `${LIMITS} exempt`, limited({}), level({ type: 'Limited', limited: reject, exempt: {} }),
    'spec.exempt', 'Forbidden: must be nil if the type is Limited'],
  ['spec.limited.required', `${LIMITS} limited`, limited({}), level({ type: 'Limited' }), 'spec.limited',
    'Required value: must not be empty when type is Limited'],
  ['spec.limited.nominalConcurrencyShares', `${LIMITS} limited.nominalConcurrencyShares`,
    limited({ nominalConcurrencyShares: 0 }), limited({ nominalConcurrencyShares: -1 }),
    'spec.limited.nominalConcurrencyShares', 'Invalid value: -1: must be a non-negative integer'],
  ['spec.limited.lendablePercent.least', 'Limits lendablePercent', limited({ lendablePercent: 0 }),
    limited({ lendablePercent: -1 }), 'spec.limited.lendablePercent',
    'Invalid value: -1: must be between 0 and 100, inclusive'],
  ['spec.limited.lendablePercent.greatest', 'Limits lendablePercent', limited({ lendablePercent: 100 }),
    limited({ lendablePercent: 101 }), 'spec.limited.lendablePercent',
    'Invalid value: 101: must be between 0 and 100, inclusive'],
  ['spec.limited.borrowingLimitPercent.negative', 'Limits borrowingLimitPercent', limited({ borrowingLimitPercent: 150 }),
    limited({ borrowingLimitPercent: -1 }), 'spec.limited.borrowingLimitPercent',
    'Invalid value: -1: if specified, must be a non-negative integer'],
  ['spec.limited.limitResponse.type', `${LIMITS} limited.limitResponse.type`, response({ type: 'Reject' }),
    response({ type: 'Shrug' }), 'spec.limited.limitResponse.type',
    'Unsupported value: "Shrug": supported values: "Queue", "Reject"'],
  ['spec.limited.limitResponse.queuing.forbidden', `${LIMITS} limited.limitResponse.queuing`, queuing({}),
    response({ type: 'Reject', queuing: {} }), QUEUING,
    'Forbidden: must be nil if limited.limitResponse.type is not Limited'],
  ['spec.limited.limitResponse.queuing.required', 'Kubernetes 1.34', queuing({ queues: 1, handSize: 1 }),
    response({ type: 'Queue' }), QUEUING, 'Required value: must not be empty if limited.limitResponse.type is Limited'],
  ['queuing.queueLengthLimit', 'Limits queuing.queueLengthLimit', queuing({ queueLengthLimit: 1 }),
    queuing({ queueLengthLimit: -1 }), `${QUEUING}.queueLengthLimit`, 'Invalid value: -1: must be positive'],
  ['queuing.queues', 'Limits queuing.queues', queuing({ queues: 1, handSize: 1 }), queuing({ queues: -1 }),
    `${QUEUING}.queues`, 'Invalid value: -1: must be positive'],
  ['queuing.queues.greatest', 'Kubernetes 1.34', queuing({ queues: 10_000_000, handSize: 1 }),
    queuing({ queues: 10_000_001, handSize: 1 }), `${QUEUING}.queues`,
    'Invalid value: 10000001: must not be greater than 10000000'],
  ['queuing.handSize', 'Limits queuing.handSize', queuing({ handSize: 1 }), queuing({ handSize: -1 }),
    `${QUEUING}.handSize`, 'Invalid value: -1: must be positive'],
  ['queuing.handSize.queues', 'Limits queuing.handSize', queuing({ queues: 8, handSize: 8 }),
    queuing({ queues: 8, handSize: 9 }), `${QUEUING}.handSize`,
    'Invalid value: 9: should not be greater than queues (8)'],
  ['queuing.handSize.entropy', 'Kubernetes 1.34', queuing({ queues: 64, handSize: 10 }),
    queuing({ queues: 64, handSize: 11 }), `${QUEUING}.handSize`,
    'Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60'],
];

const exemptRows: RuleRow[] = [
  ['spec.limited.exempt', `${LIMITS} limited`, exemptStored, exempt({ limited: reject }), 'spec.limited',
    'Forbidden: must be nil if the type is not Limited'],
  ['spec.exempt.nominalConcurrencyShares', `${LIMITS} exempt.nominalConcurrencyShares`,
    exempt({ exempt: { nominalConcurrencyShares: 5 } }), exempt({ exempt: { nominalConcurrencyShares: -1 } }),
    'spec.exempt.nominalConcurrencyShares', 'Invalid value: -1: must be a non-negative integer'],
  ['spec.exempt.lendablePercent', 'Limits lendablePercent', exempt({ exempt: { lendablePercent: 100 } }),
    exempt({ exempt: { lendablePercent: 101 } }), 'spec.exempt.lendablePercent',
    'Invalid value: 101: must be between 0 and 100, inclusive'],
  ['mandatory.exempt', 'Kubernetes 1.34', exempt({ exempt: { lendablePercent: 50 } }),
    level({ type: 'Limited', limited: { ...reject } }, { metadata: { name: 'exempt' } }), 'spec',
    'Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":30,"LimitResponse":{"Type":"Reject",' +
      '"Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: ' +
      "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value"],
];

const statusRows: RuleRow[] = [
  ['status.conditions.type', `${LIMITS} status.conditions`, withConditions({ type: 'Odd', status: 'False' }),
    withConditions({ status: 'False' }), 'status.conditions[0].type', 'Required value'],
  ['status.conditions.unique', `${LIMITS} status.conditions`, withConditions({ type: 'A' }, { type: 'B' }),
    withConditions({ type: 'A' }, { type: 'A' }), 'status.conditions[1].type', 'Duplicate value: "A"'],
];

/** The rules of PriorityLevelConfiguration. */
export const priorityLevelConfigurationRules: readonly RuleCase[] = [
  ...rows.map(toRule),
  ...exemptRows.map((row): RuleCase => ({ ...toRule(row), old: exemptStored })),
  ...statusRows.map((row): RuleCase => ({ ...toRule(row), old: limited({}), subresource: 'status' })),
  {
    ...toRule(['mandatory.catch-all', 'Kubernetes 1.34', catchAll({}), catchAll({ nominalConcurrencyShares: 6 }), 'spec',
      'Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":6,"LimitResponse":{"Type":"Reject",' +
        '"Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: ' +
        "spec of 'catch-all' must equal the fixed value"]),
    old: catchAll({}),
  },
  {
    ...toRule(['spec.limited.borrowingLimitPercent.zero', 'Limits borrowingLimitPercent',
      limited({ borrowingLimitPercent: 1 }), limited({ borrowingLimitPercent: 0 }), 'spec.limited.borrowingLimitPercent',
      'Invalid value: 0: if specified, must be a positive integer']),
    deviation: 'The specification asks for a positive number; Kubernetes 1.34 takes 0 as well.',
  },
  {
    rule: 'PriorityLevelConfiguration.annotations.preserve-zero',
    spec: 'Kubernetes 1.34',
    accepted: limited({}),
    rejected: level(
      { type: 'Limited', limited: reject },
      {
        metadata: {
          name: 'rule',
          annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' },
        },
      },
    ),
    field: 'metadata.annotations',
    type: 'FieldValueForbidden',
    message:
      "Forbidden: annotation 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden",
  },
  {
    rule: 'PriorityLevelConfiguration.spec.limited.defaults',
    spec: `${LIMITS} limited.nominalConcurrencyShares`,
    accepted: limited({}),
    effect: { path: 'spec.limited', value: { nominalConcurrencyShares: 30, lendablePercent: 0, ...reject } },
  },
  {
    rule: 'PriorityLevelConfiguration.spec.exempt.defaults',
    spec: 'Limits nominalConcurrencyShares',
    old: exemptStored,
    accepted: exempt({ exempt: {} }),
    effect: { path: 'spec.exempt', value: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  },
  {
    rule: 'PriorityLevelConfiguration.queuing.defaults',
    spec: 'Limits queuing',
    accepted: queuing({}),
    effect: {
      path: 'spec.limited.limitResponse.queuing',
      value: { queues: 64, handSize: 8, queueLengthLimit: 50 },
    },
  },
];
