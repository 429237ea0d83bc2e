import type { CelFault } from './cel-program.ts';
import type { CelEnvironment } from './check/cel-environment.ts';
import { checkExpression } from './check/check-expression.ts';
import type { CheckedExpression } from './check/checked-expression.ts';
import { validateLiterals } from './check/validate-literals.ts';
import { formatFaults } from './syntax/format-fault.ts';
import { parseExpression } from './syntax/parse-expression.ts';

/** A checked expression, or the faults of the step that found some: syntax, types, literals; `text` shows them as cel-go does. */
export type CheckedSource =
  | { readonly checked: CheckedExpression; readonly faults?: undefined }
  | { readonly checked?: undefined; readonly faults: readonly CelFault[]; readonly text: string };

/** Parses and checks an expression in an environment. */
export function checkSource(source: string, environment: CelEnvironment): CheckedSource {
  const parsed = parseExpression(source, environment.macros);
  if (parsed.expression === undefined) return refuse(source, parsed.faults, parsed.count);
  const result = checkExpression(source, parsed.expression, environment);
  if (result.checked === undefined) return refuse(source, result.faults, result.count);
  const wrongLiterals = validateLiterals(result.checked);
  return wrongLiterals.length > 0 ? refuse(source, wrongLiterals) : { checked: result.checked };
}

function refuse(source: string, faults: readonly CelFault[], count?: number): CheckedSource {
  return { faults, text: formatFaults(source, faults, count) };
}
