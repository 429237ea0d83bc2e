import type { CelResult } from '../values/cel-value.ts';
import type { CelVariables } from '../cel-program.ts';
import type { CostMeter } from './cost-meter.ts';

/** The state of one evaluation. */
export class Frame {
  readonly variables: CelVariables;
  readonly meter: CostMeter;
  /** Values of the variables of comprehensions, by the places that the plan gave them. */
  readonly locals: (CelResult | undefined)[];

  constructor(variables: CelVariables, meter: CostMeter, localCount: number) {
    this.variables = variables;
    this.meter = meter;
    this.locals = localCount === 0 ? noLocals : makeLocals(localCount);
  }
}

const noLocals: undefined[] = [];

function makeLocals(count: number): undefined[] {
  const locals: undefined[] = [];
  for (let place = 0; place < count; place++) locals.push(undefined);
  return locals;
}

/** Evaluates a part of an expression, and charges what that costs. */
export type Evaluate = (frame: Frame) => CelResult;

/** Why an expression that was found right cannot be planned, in cel-go's words. */
export class PlanRefusal extends Error {
  override readonly name = 'PlanRefusal';
}
