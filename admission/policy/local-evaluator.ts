import { CompileCache } from '../../kinds/admissionregistration/policy/compile-cache.ts';
import {
  type EvaluationOutcome,
  evaluatePolicy,
  type PolicyEvaluationInput,
} from '../../kinds/admissionregistration/policy/evaluate-policy.ts';
import type { DecideOptions, PolicyServices } from './policy-services.ts';

/** The longest evaluation, in milliseconds. */
const evaluationMillis = 8;
/** About a quarter of that, in units of 100 ns. */
const maxCallUnits = 40_000;

/** Evaluates policies on the thread that asks; keeps what it compiled. */
export class LocalEvaluator {
  readonly #services: PolicyServices;
  readonly #cache = new CompileCache();

  constructor(services: PolicyServices) {
    this.#services = services;
  }

  /** Throws EvaluationInterrupted when it `isBounded` and takes too long. */
  evaluate(input: PolicyEvaluationInput, { traces }: DecideOptions, isBounded: boolean): EvaluationOutcome {
    // Compiling is not counted: it happens once.
    this.#cache.compile(input.policy);
    const begin = performance.now();
    const interrupt = (): boolean => performance.now() - begin > evaluationMillis;
    return evaluatePolicy(input, {
      compile: (policy) => this.#cache.compile(policy),
      findSchema: (kind) => this.#services.findSchema(kind),
      elapsed: () => performance.now() / 1000,
      ...(isBounded ? { bounds: { interrupt, maxCallUnits } } : {}),
      ...(traces === true ? { traces: true } : {}),
    });
  }
}
