import type { JsonObject } from '../../../../core/meta/json.ts';
import { makeRuleCase } from '../../../rule-case.ts';
import type { RuleCase, RuleRow } from '../../../rule-case.ts';

const review = (spec: JsonObject): JsonObject => ({
  apiVersion: 'review.{domain}/v1',
  kind: 'FlowReview',
  metadata: { name: 'rule' },
  spec,
});
const path = '/api/v1/pods';
const listGroups = (count: number): string[] => Array.from({ length: count }, (_, i) => `group-${i}`);
const noPath = 'must be a path that begins with /, encoded as in a URL';

// prettier-ignore
const rows: RuleRow[] = [
  ['spec.path.required', 'Review spec.path', review({ path: `${path}?limit=500` }), review({}), 'spec.path',
    'Required value'],
  ['spec.path', 'Review spec.path', review({ path: '/%41' }), review({ path: 'api' }), 'spec.path',
    `Invalid value: "api": ${noPath}`],
  ['spec.path.encoding', 'Review spec.path', review({ path: '/' }), review({ path: '/%zz' }), 'spec.path',
    `Invalid value: "/%zz": ${noPath}`],
  ['spec.method', 'Review spec.method', review({ path, method: 'POST' }), review({ path, method: 'get' }),
    'spec.method',
    'Unsupported value: "get": supported values: "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"'],
  ['spec.groups', 'Review spec.groups', review({ path, user: 'jane', groups: ['ops'] }),
    review({ path, groups: ['ops'] }), 'spec.groups', 'Forbidden: may not be specified without `user`'],
  ['spec.groups.count', 'Review spec.groups', review({ path, user: 'jane', groups: listGroups(1000) }),
    review({ path, user: 'jane', groups: listGroups(1001) }), 'spec.groups', 'Too many: 1001: must have at most 1000 items'],
];

/** The rules of FlowReview. */
export const flowReviewRules: readonly RuleCase[] = rows.map((row) => makeRuleCase('FlowReview', row));
