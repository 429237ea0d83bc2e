import type { CheckedExpression } from '../check/checked-expression.ts';
import type { CelProgram } from '../cel-program.ts';
import { CelError, type CelResult } from '../values/cel-value.ts';
import { Frame, PlanRefusal, type Evaluate } from './frame.ts';
import { Planner } from './planner.ts';

/**
 * The program of an expression that was found right. An error when cel-go makes none of it: a conversion of a constant that fails, or a
 * constant pattern that is none.
 */
export function planExpression(checked: CheckedExpression): CelProgram | CelError {
  const planner = new Planner(checked);
  try {
    const evaluate = planner.compile(planner.plan(checked.expression));
    return makeProgram(checked, evaluate, planner.localCount);
  } catch (error) {
    if (error instanceof PlanRefusal) return new CelError(error.message);
    throw error;
  }
}

function makeProgram({ source, type }: CheckedExpression, evaluate: Evaluate, localCount: number): CelProgram {
  return {
    source,
    type,
    evaluate(variables, meter): CelResult {
      try {
        return evaluate(new Frame(variables, meter, localCount));
      } catch (error) {
        // What an expression made too deep or too long for JavaScript is its own error.
        if (error instanceof RangeError) return new CelError(`internal error: ${error.message}`);
        throw error;
      }
    },
  };
}
