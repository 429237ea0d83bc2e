import type { CelProgram, CelVariables } from '../../../core/cel/cel-program.ts';
import { BudgetExceeded, CostMeter, type MeterBounds } from '../../../core/cel/plan/cost-meter.ts';
import { CelError, CelOpaque, type CelResult, type CelValue } from '../../../core/cel/values/cel-value.ts';
import type { CompiledExpression } from './compiled-expression.ts';
import { variablesType } from './policy-environment.ts';
import { expressionCostLimit } from './policy-request.ts';

const cancelled = 'operation cancelled: actual cost limit exceeded';

/** Thrown when the expressions of a phase have together spent its budget: no further one is evaluated. */
export class PhaseBudgetExceeded extends Error {
  override readonly name = 'PhaseBudgetExceeded';

  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** What one expression yielded, or its error in Kubernetes' words; what it cost with the variables it was the first to read, and without. */
export interface PhaseResult {
  readonly value: CelResult;
  readonly error?: string;
  readonly cost: number;
  readonly ownCost: number;
}

/** The composed variables of one phase: each is evaluated when it is first read, and once. */
class PhaseVariables extends CelOpaque {
  readonly type = variablesType;
  readonly #compiled: ReadonlyMap<string, CompiledExpression>;
  readonly #evaluate: (name: string, program: CelProgram) => CelResult;
  readonly #values = new Map<string, CelResult>();

  constructor(
    compiled: ReadonlyMap<string, CompiledExpression>,
    evaluate: (name: string, program: CelProgram) => CelResult,
  ) {
    super();
    this.#compiled = compiled;
    this.#evaluate = evaluate;
  }

  equals(other: CelValue): boolean {
    return this === other;
  }

  override select(name: string): CelResult {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const compiled = this.#compiled.get(name);
    if (compiled === undefined) return new CelError(`no such key: ${name}`);
    const value =
      compiled.program === undefined
        ? new CelError(`composited variable "${name}" fails to compile: ${compiled.fault}`)
        : this.#evaluate(name, compiled.program);
    this.#values.set(name, value);
    return value;
  }
}

/** The composed variables of a policy without any. */
export const noVariables: CelValue = new PhaseVariables(new Map(), (name) => new CelError(`no such key: ${name}`));

/**
 * Evaluates expressions one after the other on one budget. An expression, and each variable, may cost a million at most; what they cost
 * together is taken from the budget when the expression has ended.
 */
export class PhaseEvaluator {
  /** What is left of the budget. */
  remaining: number;
  readonly #bounds: MeterBounds | undefined;
  /** Told of each variable that is evaluated, with its own cost. */
  readonly #onVariable: ((name: string, value: CelResult, cost: number) => void) | undefined;
  readonly #variables: CelVariables;
  #composed = 0;
  #running: CostMeter[] = [];

  constructor(
    budget: number,
    variables: CelVariables,
    compiled: ReadonlyMap<string, CompiledExpression>,
    bounds?: MeterBounds,
    onVariable?: (name: string, value: CelResult, cost: number) => void,
  ) {
    this.remaining = budget;
    this.#bounds = bounds;
    this.#onVariable = onVariable;
    this.#variables =
      compiled.size === 0
        ? variables
        : { ...variables, variables: new PhaseVariables(compiled, (name, program) => this.#compose(name, program)) };
  }

  /** Throws PhaseBudgetExceeded when the budget does not suffice, and what an evaluation throws for want of time or of a fact. */
  evaluate({ source, program, fault }: CompiledExpression): PhaseResult {
    if (program === undefined) {
      const error = `compilation error: ${fault}`;
      return { value: new CelError(error), error, cost: 0, ownCost: 0 };
    }
    this.#composed = 0;
    const { value, spent } = this.#run(program);
    const cost = this.#composed + spent;
    if (cost > this.remaining) throw new PhaseBudgetExceeded();
    this.remaining -= cost;
    if (!(value instanceof CelError)) return { value, cost, ownCost: spent };
    return { value, error: `expression '${source}' resulted in error: ${value.message}`, cost, ownCost: spent };
  }

  #run(program: CelProgram): { readonly value: CelResult; readonly spent: number } {
    const taken = this.#running.reduce((sum, { spent }) => sum + spent, this.#composed);
    const left = this.remaining - taken;
    const meter = new CostMeter(Math.min(expressionCostLimit, left), this.#bounds);
    this.#running.push(meter);
    try {
      return { value: program.evaluate(this.#variables, meter), spent: meter.spent };
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      if (meter.spent <= expressionCostLimit) throw new PhaseBudgetExceeded();
      return { value: new CelError(cancelled), spent: meter.spent };
    } finally {
      this.#running.pop();
    }
  }

  #compose(name: string, program: CelProgram): CelResult {
    const { value, spent } = this.#run(program);
    this.#composed += spent;
    this.#onVariable?.(name, value, spent);
    if (this.#composed > this.remaining) throw new PhaseBudgetExceeded();
    if (!(value instanceof CelError)) return value;
    return new CelError(`composited variable "${name}" fails to evaluate: ${value.message}`);
  }
}
