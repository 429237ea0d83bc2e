import type { CelType } from './types/cel-type.ts';
import type { CostMeter } from './plan/cost-meter.ts';
import type { CelResult, CelValue } from './values/cel-value.ts';

/** Values of an environment's variables, by name. */
export type CelVariables = Readonly<Record<string, CelValue>>;

/** A fault that the parser or the checker found; `at` is an offset in code points of the source. */
export interface CelFault {
  readonly at: number;
  readonly line: number;
  /** From 0, as cel-go counts; shown from 1. */
  readonly column: number;
  /** Without position and source line, such as `undeclared reference to 'x' (in container '')`. */
  readonly message: string;
}

/** A compiled expression. Shared by evaluations; holds no state of one. */
export interface CelProgram {
  readonly source: string;
  readonly type: CelType;
  /** Charges `meter`; throws what the meter throws, and signals of libraries (a missing fact). */
  evaluate(variables: CelVariables, meter: CostMeter): CelResult;
}

/**
 * A program, or why there is none: `text` is all faults as cel-go prints them (`ERROR: <input>:1:8: …` with line and caret). At stage
 * `program`, the expression was found right and yet cannot be evaluated, and `text` is the one reason.
 */
export type CelCompilation =
  | { readonly program: CelProgram; readonly faults?: undefined }
  | {
      readonly program?: undefined;
      readonly stage: 'compile' | 'program';
      readonly faults: readonly CelFault[];
      readonly text: string;
    };
