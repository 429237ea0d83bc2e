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

/** What is wrong with expressions for one kind, by the path of the field; an empty text: there are too many to tell this one. */
export type KindWarnings = ReadonlyMap<string, string>;

/** The longest warnings of a policy together, in characters: they are stored with it. */
export const maxWarningCharacters = 1 << 17;

/**
 * The warnings of a policy from those of all kinds it was checked against, field by field; empty: nothing is wrong. Of very many, the first
 * ones: the last of them says how many expressions are not told of.
 */
export function planTypeChecking(
  spec: ValidatingAdmissionPolicySpec,
  kinds: readonly KindWarnings[],
): readonly ExpressionWarning[] {
  const told: ExpressionWarning[] = [];
  let characters = 0;
  let untold = 0;
  let isFull = false;
  for (const [fieldRef] of listExpressions(spec)) {
    const texts = kinds.flatMap((warnings) => warnings.get(fieldRef) ?? []);
    if (texts.length === 0) continue;
    const warning = texts.join('\n');
    characters += fieldRef.length + warning.length;
    isFull ||= characters > maxWarningCharacters || texts.includes('');
    if (isFull) untold++;
    else told.push({ fieldRef, warning });
  }
  const last = told.at(-1);
  if (untold === 0 || last === undefined) return told;
  return [...told.slice(0, -1), { ...last, warning: `${last.warning}… ${untold} more expressions with warnings\n` }];
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
