import type { CelResult, CelValue } from '../values/cel-value.ts';
import type { CelFunction, CelOverload } from './cel-library.ts';

/** An implementation whose parameters are what its overload declares; whoever calls it has looked at the types. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Call = (...values: any[]) => CelResult;

/** An overload with an implementation. */
export interface OverloadSpec extends Omit<CelOverload, 'call'> {
  readonly call: Call;
}

/** Cost of a call from its arguments alone. */
export type ArgumentCost = (values: readonly CelResult[], overloadId: string | undefined) => number;

/** A function; each call costs 1. */
export function makeFunction(name: string, overloads: readonly OverloadSpec[]): CelFunction {
  return { name, overloads };
}

/** The function with a cost by its name, which follows from the arguments. */
export function costByName(fn: CelFunction, cost: ArgumentCost): CelFunction {
  return { ...fn, cost: (values, _result, overloadId) => cost(values, overloadId) };
}

/** As costByName, for calls that are dear: the budget is asked before the call is made. */
export function costAhead(fn: CelFunction, cost: (values: readonly CelResult[]) => number): CelFunction {
  return { ...fn, cost: (values) => cost(values), estimate: cost };
}

/** The function with an upper bound of its work: so many times 100 ns for each code unit of the texts it is given. */
export function boundWork(fn: CelFunction, workPerUnit: number): CelFunction {
  return {
    ...fn,
    work: (values: readonly CelValue[]) => {
      let length = 0;
      for (const value of values) if (typeof value === 'string') length += value.length;
      return length * workPerUnit;
    },
  };
}
