import type { JsonObject } from '../../../core/meta/json.ts';
import { makeRuleCase } from '../../rule-case.ts';
import type { RuleCase, RuleRow } from '../../rule-case.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };

/** The rules of a review kind about the write that it reviews. */
export function makeReviewedWriteRules(kind: string): RuleCase[] {
  const review = (spec: JsonObject): JsonObject => ({
    apiVersion: 'review.{domain}/v1',
    kind,
    metadata: { name: 'rule' },
    spec,
  });
  const create = (object: JsonObject): JsonObject => review({ object });
  const update = review({ operation: 'UPDATE', object: pod, oldObject: pod });
  const rows: RuleRow[] = [
    ['spec.object.required', 'Review spec.object', create(pod), review({}), 'spec.object', 'Required value'],
    ['spec.object.apiVersion', 'Review spec.object', create(pod), create({ kind: 'Pod' }), 'spec.object.apiVersion',
      'Required value'],
    ['spec.object.kind', 'Review spec.object', create(pod), create({ apiVersion: 'v1' }), 'spec.object.kind',
      'Required value'],
    ['spec.operation', 'Review spec.operation', update, review({ operation: 'DELETE', object: pod }), 'spec.operation',
      'Unsupported value: "DELETE": supported values: "CREATE", "UPDATE"'],
    ['spec.oldObject.required', 'Review spec.oldObject', update, review({ operation: 'UPDATE', object: pod }),
      'spec.oldObject', "Required value: must be specified when `operation` is 'UPDATE'"],
    ['spec.oldObject.forbidden', 'Review spec.oldObject', create(pod), review({ object: pod, oldObject: pod }),
      'spec.oldObject', "Forbidden: may not be specified when `operation` is not 'UPDATE'"],
  ];
  return [
    ...rows.map((row) => makeRuleCase(kind, row)),
    {
      rule: `${kind}.spec.operation.default`,
      spec: 'Review spec.operation',
      accepted: create(pod),
      effect: { path: 'spec.operation', value: 'CREATE' },
    },
  ];
}
