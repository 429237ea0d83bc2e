import { describe, expect, it } from 'vitest';

import type { ValidatingAdmissionPolicySpec } from '../validating-admission-policy/schema.ts';
import { compilePolicy } from './compile-policy.ts';
import { ExpressionPool } from './expression-pool.ts';

const rule = 'object.spec.replicas > 1';

interface SharingCase {
  readonly name: string;
  readonly one: ValidatingAdmissionPolicySpec;
  readonly other: ValidatingAdmissionPolicySpec;
  readonly isShared: boolean;
}

function withVariable(expression: string): ValidatingAdmissionPolicySpec {
  return { variables: [{ name: 'replicas', expression }], validations: [{ expression: 'variables.replicas > 1' }] };
}

describe('ExpressionPool', () => {
  it.for<SharingCase>([
    {
      name: 'the same expression of two policies',
      one: { validations: [{ expression: rule }] },
      other: { validations: [{ expression: 'true' }, { expression: rule, message: 'more, please' }] },
      isShared: true,
    },
    {
      name: 'the same over variables of the same types',
      one: withVariable('object.spec.replicas'),
      other: withVariable('oldObject.spec.replicas'),
      isShared: true,
    },
    {
      name: 'the same over variables of other types',
      one: withVariable('size(object.spec.containers)'),
      other: withVariable("object.spec.size == 'large' ? 2 : 1.5"),
      isShared: false,
    },
    {
      name: 'the same where only one policy has parameters',
      one: { validations: [{ expression: rule }] },
      other: { validations: [{ expression: rule }], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
      isShared: false,
    },
  ])('$name: shared $isShared', ({ one, other, isShared }) => {
    const pool = new ExpressionPool();
    const first = compilePolicy(one, pool).validations.at(-1)?.compiled;
    const second = compilePolicy(other, pool).validations.at(-1)?.compiled;
    expect(first).toBeDefined();
    expect(first === second).toBe(isShared);
  });

  it('keeps a message apart from a condition of the same text, which may use more', () => {
    const expression = "authorizer.path('/').check('get').allowed()";
    const { validations } = compilePolicy(
      { validations: [{ expression, messageExpression: expression }] },
      new ExpressionPool(),
    );
    expect(validations[0]?.compiled.fault).toBeUndefined();
    expect(validations[0]?.message?.fault).toContain("undeclared reference to 'authorizer'");
  });
});
