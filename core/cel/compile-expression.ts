import type { CelCompilation } from './cel-program.ts';
import type { CelEnvironment } from './check/cel-environment.ts';
import type { CheckedExpression } from './check/checked-expression.ts';
import { checkSource } from './check-source.ts';
import { planExpression } from './plan/plan-expression.ts';
import { CelError, CelTypeValue } from './values/cel-value.ts';

/** Compiles an expression in an environment. The faults are those of one step: syntax, types, literals, plan. */
export function compileExpression(source: string, environment: CelEnvironment): CelCompilation {
  const result = checkSource(source, environment);
  if (result.checked === undefined) return { stage: 'compile', faults: result.faults, text: result.text };
  return compileChecked(result.checked);
}

/** Compiles an expression that was found right. */
export function compileChecked(checked: CheckedExpression): CelCompilation {
  const undefinedType = findUndefinedType(checked);
  if (undefinedType !== undefined) {
    return { stage: 'program', faults: [], text: `reference to undefined type: ${undefinedType}` };
  }
  const program = planExpression(checked);
  return program instanceof CelError ? { stage: 'program', faults: [], text: program.message } : { program };
}

/** The name of a type that is declared for the checker alone, and read as a value. */
function findUndefinedType({ references, environment }: CheckedExpression): string | undefined {
  for (const reference of references.values()) {
    if (reference.kind !== 'constant' || !(reference.value instanceof CelTypeValue)) continue;
    const { type } = reference.value;
    if (type.kind === 'object' && environment.objects.get(type.name)?.isBuiltIn !== true) return type.name;
  }
  return undefined;
}
