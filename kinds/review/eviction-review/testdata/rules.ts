import type { JsonObject } from '../../../../core/meta/json.ts';
import { makeRuleCase } from '../../../rule-case.ts';
import type { RuleCase, RuleRow } from '../../../rule-case.ts';

const review = (spec: JsonObject): JsonObject => ({
  apiVersion: 'review.{domain}/v1',
  kind: 'EvictionReview',
  metadata: { name: 'rule' },
  spec,
});
const longName = 'a'.repeat(254);

const rows: RuleRow[] = [
  ['spec.required', 'Review spec', review({ pod: 'web-0' }), review({}), 'spec',
    'Required value: must name a pod or a node'],
  ['spec.exclusive', 'Review spec', review({ node: 'a' }), review({ pod: 'web-0', node: 'a' }), 'spec.node',
    'Forbidden: may not be specified when `pod` is'],
  ['spec.pod', 'Review spec.pod', review({ pod: 'web.0' }), review({ pod: longName }), 'spec.pod',
    `Invalid value: "${longName}": must be no more than 253 characters`],
  ['spec.node', 'Review spec.node', review({ node: 'node-1.example' }), review({ node: longName }), 'spec.node',
    `Invalid value: "${longName}": must be no more than 253 characters`],
];

/** The rules of EvictionReview. */
export const evictionReviewRules: readonly RuleCase[] = rows.map((row) => makeRuleCase('EvictionReview', row));
