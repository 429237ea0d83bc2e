import type { DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import type { KindName } from '../policy/policy-request.ts';
import type { ValidatingAdmissionPolicySpec } from './schema.ts';

/** A warning of `status.typeChecking`. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** A kind that a policy matches, and its type. */
export interface CheckedKind {
  readonly name: KindName;
  readonly type: DeclaredType;
}

/** What is wrong with expressions for one kind, by the path of the field. */
export type KindWarnings = ReadonlyMap<string, string>;

/** The warnings of a policy from those of all kinds it was checked against, field by field; empty: nothing is wrong. */
export function planTypeChecking(
  spec: ValidatingAdmissionPolicySpec,
  kinds: readonly KindWarnings[],
): readonly ExpressionWarning[] {
  return listExpressions(spec).flatMap(([fieldRef]) => {
    const texts = kinds.flatMap((warnings) => warnings.get(fieldRef) ?? []);
    return texts.length === 0 ? [] : [{ fieldRef, warning: texts.join('\n') }];
  });
}

/** The expressions that are checked, with the paths of their fields: validations and their messages. */
export function listExpressions(
  spec: ValidatingAdmissionPolicySpec,
): readonly (readonly [field: string, expression: string])[] {
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, index) => {
    const field = `spec.validations[${index}]`;
    const message = messageExpression === '' ? [] : [[`${field}.messageExpression`, messageExpression] as const];
    return [[`${field}.expression`, expression] as const, ...message];
  });
}
