import type { CelFunction, CelOverload } from '../libraries/cel-library.ts';
import type { CelResult, CelValue } from '../values/cel-value.ts';
import type { Evaluate } from './frame.ts';
import type { PlanNode } from './plan-node.ts';

/** What the planner knows about a call. */
export interface CallPlan {
  readonly fn: CelFunction;
  /** The overload that the checker resolved; `undefined`: it left several. */
  readonly overload: CelOverload | undefined;
  readonly nodes: readonly PlanNode[];
  readonly evaluates: readonly Evaluate[];
}

/** An operand of a chain of `+`, and how the sum up to it is added and charged. */
export interface Summand {
  readonly evaluate: Evaluate;
  readonly call: (first: CelValue, second: CelValue) => CelResult;
  readonly cost: ((values: readonly CelResult[], result: CelResult) => number) | undefined;
}
