import type { CelEnvironment } from '../../../core/cel/check/cel-environment.ts';
import { checkSource } from '../../../core/cel/check-source.ts';
import { dynType } from '../../../core/cel/types/cel-type.ts';
import type { DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { loosenType } from '../policy/compile-policy.ts';
import {
  buildPolicyEnvironment,
  DeclaredVariables,
  type PolicyEnvironmentOptions,
} from '../policy/policy-environment.ts';
import type { KindName } from '../policy/policy-request.ts';
import { formatKindName } from './list-checked-kinds.ts';
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

/**
 * Checks validations and their messages as if objects were of one kind; `params` absent: their type is not known, and there are none. It
 * stops after each expression, so that whoever runs it can let others have their turn.
 */
export function* checkKind(
  spec: ValidatingAdmissionPolicySpec,
  kind: CheckedKind,
  params?: DeclaredType,
): Generator<undefined, KindWarnings> {
  const environment = yield* declareVariables(spec, {
    mode: 'stored',
    hasParams: params !== undefined,
    hasAuthorizer: true,
    declared: {
      object: kind.type.type,
      oldObject: kind.type.type,
      ...(params === undefined ? {} : { params: params.type }),
      objects: [...kind.type.objects, ...(params?.objects ?? [])],
    },
  });
  const warnings = new Map<string, string>();
  for (const [field, expression] of listExpressions(spec)) {
    const result = checkSource(expression, environment);
    if (result.checked === undefined) warnings.set(field, `${formatKindName(kind.name)}: ${result.text}\n`);
    yield;
  }
  return warnings;
}

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

function listExpressions(
  spec: ValidatingAdmissionPolicySpec,
): readonly (readonly [field: string, expression: string])[] {
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, index) => {
    const field = `spec.validations[${index}]`;
    const message = messageExpression === '' ? [] : [[`${field}.messageExpression`, messageExpression] as const];
    return [[`${field}.expression`, expression] as const, ...message];
  });
}

/** The environment with the policy's variables; one that is wrong is of any type. */
function* declareVariables(
  spec: ValidatingAdmissionPolicySpec,
  options: PolicyEnvironmentOptions,
): Generator<undefined, CelEnvironment> {
  const variables = new DeclaredVariables();
  const environment = buildPolicyEnvironment({ ...options, variables });
  for (const { name, expression } of spec.variables ?? []) {
    const { checked } = checkSource(expression, environment);
    variables.add(name, loosenType(checked?.type ?? dynType));
    yield;
  }
  return environment;
}
