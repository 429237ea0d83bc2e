import type { CelType } from '../types/cel-type.ts';
import type { CelResult, CelValue } from '../values/cel-value.ts';

/** One way to call a function. */
export interface CelOverload {
  /** cel-go's or Kubernetes' id, such as `add_int64`. */
  readonly id: string;
  /** Whether the first parameter is the receiver. */
  readonly isMember: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /**
   * Yields the result; arguments are of the declared types (the planner sees to that). Absent: the planner does it itself (`_&&_`, `_?_:_`).
   * Pure. May throw a signal that no operator absorbs (a budget, a missing fact).
   */
  readonly call?: (...values: CelValue[]) => CelResult;
  /** Cost of a call when the checker resolved the call to this overload alone; absent: 1. An argument may have failed. */
  readonly cost?: (values: readonly CelResult[], result: CelResult) => number;
  /** cel-go binds it, though it has at most two parameters, in the way that evaluates no argument after one that failed. */
  readonly isFunctionBinding?: true;
}

/** Estimates the work of a call; whatever is greater than `limit` may stand for more, so that estimates need not take long themselves. */
export type EstimateWork = (values: readonly CelValue[], limit: number) => number;

/** A function with all its overloads in one library. */
export interface CelFunction {
  readonly name: string;
  readonly overloads: readonly CelOverload[];
  /**
   * Kubernetes' cost of a call by the function's name; `undefined`, or absent: that of the overload. `overloadId` is that of the overload
   * that the checker resolved, `undefined` when it left several. An argument may have failed.
   */
  readonly cost?: (
    values: readonly CelResult[],
    result: CelResult,
    overloadId: string | undefined,
  ) => number | undefined;
  /** What a call will cost at least, known before it: what the budget cannot pay is not begun. */
  readonly estimate?: (values: readonly CelValue[]) => number;
  /** An upper bound of the time of a call that cannot be interrupted, known before it, in units of 100 ns; absent: next to nothing. */
  readonly work?: EstimateWork;
  /** cel-go binds one implementation for all its overloads. */
  readonly isSingleton?: true;
  /** The overload is chosen by the number of arguments, and its implementation takes whatever they are. */
  readonly isUnguarded?: true;
  /** Why a call with these constant arguments (`undefined`: not constant) is refused when it is planned; `undefined`: it is not. */
  readonly refuses?: (constants: readonly (CelValue | undefined)[]) => string | undefined;
}

/** A set of functions, constants and types that an environment may have. */
export interface CelLibrary {
  readonly name: string;
  readonly functions: readonly CelFunction[];
  /** Names of types that are values, such as `net.IP`. */
  readonly types?: Readonly<Record<string, CelType>>;
}
