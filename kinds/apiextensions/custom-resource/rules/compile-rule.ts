import type { CelProgram } from '../../../../core/cel/cel-program.ts';
import { checkSource } from '../../../../core/cel/check-source.ts';
import type { CelEnvironment } from '../../../../core/cel/check/cel-environment.ts';
import { readsVariable } from '../../../../core/cel/check/checked-expression.ts';
import { compileChecked, compileExpression } from '../../../../core/cel/compile-expression.ts';
import { buildKubernetesEnvironment } from '../../../../core/cel/kubernetes-environment.ts';
import { makeOptionalType } from '../../../../core/cel/types/cel-type.ts';
import { declareShape, type DeclaredShape } from '../../../../core/cel/types/declared-shape.ts';
import type { JsonSchemaProps, ValidationRule } from '../../custom-resource-definition/custom-resource-definition.ts';
import { resolveFieldPath } from '../../custom-resource-definition/resolve-field-path.ts';

/** A rule that is ready to be evaluated. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent for an empty rule, which holds, and with `fault`. */
  readonly program?: CelProgram;
  /** Why there is no program. */
  readonly fault?: string;
  /** Whether the rule compares with the value before. */
  readonly usesOldSelf: boolean;
  readonly messageProgram?: CelProgram;
  /** Path of the field that the rule blames, below the value; absent: the value itself. */
  readonly fieldPath?: string;
}

const selfTypeName = 'selfType';

/** Compiles the rules of a schema whose values have the given shape. */
export function compileRules(
  rules: readonly ValidationRule[],
  schema: JsonSchemaProps,
  shape: DeclaredShape,
): readonly CompiledRule[] {
  const { type, objects } = declareShape(shape, selfTypeName);
  const environments = new Map<boolean, CelEnvironment>();
  const findEnvironment = (isOptional: boolean): CelEnvironment => {
    let environment = environments.get(isOptional);
    if (environment === undefined) {
      const oldSelf = isOptional ? makeOptionalType(type) : type;
      environment = buildKubernetesEnvironment({ mode: 'stored', variables: { self: type, oldSelf }, objects });
      environments.set(isOptional, environment);
    }
    return environment;
  };
  return rules.map((rule) => compileRule(rule, schema, findEnvironment(rule.optionalOldSelf === true)));
}

function compileRule(rule: ValidationRule, schema: JsonSchemaProps, environment: CelEnvironment): CompiledRule {
  if (rule.rule.trim() === '') return { rule, usesOldSelf: false };
  const result = checkSource(rule.rule, environment);
  if (result.checked === undefined) return { rule, usesOldSelf: false, fault: `compilation failed: ${result.text}` };
  const { checked } = result;
  const usesOldSelf = readsVariable(checked, 'oldSelf');
  if (checked.type.kind !== 'bool') return { rule, usesOldSelf, fault: 'cel expression must evaluate to a bool' };
  const compiled = compileChecked(checked);
  if (compiled.program === undefined) {
    return { rule, usesOldSelf, fault: `program instantiation failed: ${compiled.text}` };
  }
  const messageProgram = compileMessage(rule.messageExpression ?? '', environment);
  const path =
    rule.fieldPath === undefined ? undefined : resolveFieldPath(rule.fieldPath, schema, { allowsBrackets: true });
  return {
    rule,
    usesOldSelf,
    program: compiled.program,
    ...(messageProgram === undefined ? {} : { messageProgram }),
    ...(path === undefined || 'fault' in path ? {} : { fieldPath: path.path.toString() }),
  };
}

/** `undefined` for a message that is none: the rule then says what it always says. */
function compileMessage(source: string, environment: CelEnvironment): CelProgram | undefined {
  if (source === '') return undefined;
  const compiled = compileExpression(source, environment);
  return compiled.program?.type.kind === 'string' ? compiled.program : undefined;
}
