import type { CelVariables } from '../../../core/cel/cel-program.ts';
import { MissingFact } from '../../../core/cel/libraries/authorizer/missing-fact.ts';
import type { PermissionQuestion, Permissions } from '../../../core/cel/libraries/authorizer/permission.ts';
import { measureTree } from '../../../core/cel/libraries/measure-tree.ts';
import type { MeterBounds } from '../../../core/cel/plan/cost-meter.ts';
import { CelError, type CelResult } from '../../../core/cel/values/cel-value.ts';
import { toJson } from '../../../core/cel/values/to-json.ts';
import { aggregateMessages } from '../../../core/errors/make-field-error.ts';
import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import type { ValidatingAdmissionPolicy } from '../validating-admission-policy/schema.ts';
import type { CompiledPolicy } from './compile-policy.ts';
import type { CompiledExpression } from './compiled-expression.ts';
import { decideMessage } from './decide-message.ts';
import { PhaseBudgetExceeded, PhaseEvaluator } from './phase-evaluator.ts';
import { type SchemaFinder, showInput } from './policy-variables.ts';
import {
  evaluationCostLimit,
  expressionCostLimit,
  matchConditionsCostLimit,
  type NamedKind,
  type PolicyRequest,
} from './policy-request.ts';

/** What one evaluation takes; plain data, so that it can be sent to another thread. */
export interface PolicyEvaluationInput {
  readonly policy: ValidatingAdmissionPolicy;
  /** Null when there is none. */
  readonly param: JsonObject | null;
  readonly request: PolicyRequest;
  readonly matched: NamedKind;
  /** Null for cluster-scoped objects. */
  readonly namespaceObject: JsonObject | null;
  /** What authorization said so far. */
  readonly permissions: Permissions;
}

/** What an evaluation uses besides. */
export interface EvaluationContext {
  /** The policy's expressions; may be asked again for the same policy. */
  compile(policy: ValidatingAdmissionPolicy): CompiledPolicy;
  /** Says how the lists of a kind are compared; `undefined` when nobody knows. */
  readonly findSchema?: SchemaFinder;
  readonly bounds?: MeterBounds;
  /** A stopwatch in seconds; absent: nothing is timed. */
  elapsed?(): number;
  /** Whether results are kept of every expression. */
  readonly traces?: boolean;
}

/** What one validation, or all of them when they could not be evaluated, came to. */
export interface ValidationDecision {
  readonly action: 'admit' | 'deny';
  readonly evaluation: 'admit' | 'deny' | 'error';
  /** Empty when it holds. */
  readonly message: string;
  /** Absent for errors. */
  readonly reason?: string;
  /** Why the message is not what the messageExpression yielded; absent: it is, or there is none. */
  readonly messageFault?: string;
  readonly seconds: number;
}

/** What one audit annotation came to. */
export interface AnnotationDecision {
  readonly key: string;
  readonly action: 'publish' | 'exclude' | 'error';
  /** With `publish`: what to publish; with `error`: what went wrong. */
  readonly text: string;
  readonly seconds: number;
}

/** One expression that was evaluated; `result` is absent when `error` is there. */
export interface ExpressionTrace {
  /** Where the expression stands in the policy, such as `spec.validations[0].expression`. */
  readonly field: string;
  readonly expression: string;
  readonly result?: JsonValue;
  readonly error?: string;
  /** Without that of the variables it reads, which have their own. */
  readonly cost: number;
}

/** What one (policy, binding, param) came to. */
export interface PolicyEvaluation {
  /** Name of the match condition that is false: the policy does not apply. */
  readonly unmatchedCondition?: string;
  readonly decisions: readonly ValidationDecision[];
  readonly annotations: readonly AnnotationDecision[];
  /** What all of it cost, in units of cost. */
  readonly cost: number;
  /** Empty unless they were asked for. */
  readonly traces: readonly ExpressionTrace[];
}

/** An evaluation, or the permission that it needs to know first. */
export type EvaluationOutcome = PolicyEvaluation | { readonly needs: PermissionQuestion };

/** What ends a phase: its budget. Everything else that is thrown is not for a policy to decide about. */
function explainBudget(error: unknown): string {
  if (error instanceof PhaseBudgetExceeded) return error.message;
  throw error;
}

/** The largest result that a trace shows, in parts. */
const maxShownSize = 1_000_000;

function isError(result: CelResult): result is CelError {
  return result instanceof CelError;
}

/** Evaluates one policy for one request and parameter. */
class PolicyEvaluator {
  readonly #context: EvaluationContext;
  readonly #compiled: CompiledPolicy;
  readonly #ignoresErrors: boolean;
  readonly #traces: ExpressionTrace[] = [];
  #cost = 0;
  /** Without and with what only validations may use. */
  readonly #variables: CelVariables;
  readonly #authorized: CelVariables;

  constructor(input: PolicyEvaluationInput, context: EvaluationContext) {
    this.#context = context;
    this.#compiled = context.compile(input.policy);
    this.#ignoresErrors = input.policy.spec.failurePolicy === 'Ignore';
    const shown = showInput({ ...input, paramKind: input.policy.spec.paramKind }, context.findSchema);
    this.#variables = shown.variables;
    this.#authorized = shown.authorized;
  }

  evaluate(): PolicyEvaluation {
    const matching = this.#evaluateMatchConditions();
    if (matching !== undefined) return this.#conclude(matching);
    const phase = this.#beginPhase(evaluationCostLimit, this.#authorized);
    let decisions: ValidationDecision[];
    try {
      const results = this.#compiled.validations.map(({ compiled }, i) =>
        this.#measure(phase, compiled, `spec.validations[${i}].expression`),
      );
      decisions = this.#decideValidations(results, phase.remaining);
    } catch (error) {
      decisions = [this.#decideError(explainBudget(error))];
      return this.#conclude({ decisions });
    }
    try {
      return this.#conclude({ decisions, annotations: this.#evaluateAnnotations() });
    } catch (error) {
      // What annotations cost takes nothing away from what validations found.
      return this.#conclude({ decisions: [...decisions, this.#decideError(explainBudget(error))] });
    }
  }

  #beginPhase(budget: number, variables: CelVariables): PhaseEvaluator {
    const { bounds, traces } = this.#context;
    const { variables: compiled } = this.#compiled;
    if (traces !== true) return new PhaseEvaluator(budget, variables, compiled, bounds);
    return new PhaseEvaluator(budget, variables, compiled, bounds, (name, value, cost) =>
      this.#traceVariable(name, value, cost),
    );
  }

  #measure(phase: PhaseEvaluator, compiled: CompiledExpression, field: string) {
    const begin = this.#context.elapsed?.() ?? 0;
    const result = phase.evaluate(compiled);
    this.#cost += result.cost;
    if (this.#context.traces === true) this.#trace(compiled.source, field, { ...result, cost: result.ownCost });
    return { ...result, seconds: (this.#context.elapsed?.() ?? 0) - begin };
  }

  #trace(
    expression: string,
    field: string,
    result: { readonly value: CelResult; readonly error?: string; readonly cost: number },
  ): void {
    const { value, error, cost } = result;
    const isShown = !isError(value) && measureTree(value, maxShownSize) <= maxShownSize;
    const shown = isShown ? toJson(value) : undefined;
    this.#traces.push({
      field,
      expression,
      cost,
      ...(error === undefined ? {} : { error }),
      ...(shown === undefined || shown instanceof CelError ? {} : { result: shown }),
    });
  }

  /** Each phase evaluates the variables that it reads; what that costs is added up. */
  #traceVariable(name: string, value: CelResult, cost: number): void {
    const place = [...this.#compiled.variables.keys()].indexOf(name);
    const field = `spec.variables[${place}].expression`;
    const known = this.#traces.findIndex((trace) => trace.field === field);
    const before = this.#traces[known];
    if (before !== undefined) {
      this.#traces[known] = { ...before, cost: before.cost + cost };
      return;
    }
    const expression = this.#compiled.variables.get(name)?.source ?? '';
    this.#trace(expression, field, { value, cost, ...(isError(value) ? { error: value.message } : {}) });
  }

  #decideError(message: string, seconds = 0): ValidationDecision {
    return { action: this.#ignoresErrors ? 'admit' : 'deny', evaluation: 'error', message, seconds };
  }

  /** What the evaluation comes to when the conditions end it; `undefined` when they all hold. */
  #evaluateMatchConditions(): Pick<PolicyEvaluation, 'unmatchedCondition' | 'decisions'> | undefined {
    const { matchConditions } = this.#compiled;
    if (matchConditions.length === 0) return undefined;
    const phase = this.#beginPhase(matchConditionsCostLimit, { ...this.#authorized, namespaceObject: null });
    const errors: string[] = [];
    let unmatchedCondition: string | undefined;
    try {
      for (const [i, { condition, compiled }] of matchConditions.entries()) {
        const { value, error } = this.#measure(phase, compiled, `spec.matchConditions[${i}].expression`);
        if (error !== undefined) errors.push(error);
        // The budget counts for all of them, so that none is left out.
        if (value === false) unmatchedCondition ??= condition.name;
      }
    } catch (error) {
      const message = explainBudget(error);
      return { decisions: this.#ignoresErrors ? [] : [this.#decideError(message)] };
    }
    if (unmatchedCondition !== undefined) return { unmatchedCondition, decisions: [] };
    if (errors.length === 0) return undefined;
    if (this.#ignoresErrors) return { decisions: [] };
    return { decisions: [this.#decideError(aggregateMessages(errors))] };
  }

  #decideValidations(
    results: readonly { readonly value: CelResult; readonly error?: string; readonly seconds: number }[],
    budget: number,
  ): ValidationDecision[] {
    const messages = this.#evaluateMessages(results, budget);
    return results.map(({ value, error, seconds }, i): ValidationDecision => {
      if (error !== undefined) return this.#decideError(error, seconds);
      if (typeof messages === 'string') return this.#decideError(`failed messageExpression: ${messages}`, seconds);
      if (value === true) return { action: 'admit', evaluation: 'admit', message: '', seconds };
      const { validation } = this.#compiled.validations[i]!;
      const { message, fault } = decideMessage(validation, messages[i]);
      const reason = validation.reason ?? 'Invalid';
      const noted = fault === undefined ? {} : { messageFault: fault };
      return { action: 'deny', evaluation: 'deny', message, reason, seconds, ...noted };
    });
  }

  /** Results of the message expressions by validation (`undefined`: none, or not needed), or why the budget did not suffice. */
  #evaluateMessages(
    results: readonly { readonly value: CelResult }[],
    budget: number,
  ): (CelResult | undefined)[] | string {
    const { validations, variables } = this.#compiled;
    if (!validations.some(({ message }) => message !== undefined)) return [];
    const count = validations.filter(({ message }) => message !== undefined).length + variables.size;
    // Kubernetes evaluates the messages of what holds, too: that shows where they may spend the budget, and only there.
    const isPaid = this.#context.traces !== true && count * 2 * expressionCostLimit < budget;
    const phase = this.#beginPhase(budget, this.#variables);
    try {
      return validations.map(({ message }, i) => {
        if (message === undefined || (isPaid && results[i]?.value !== false)) return undefined;
        return this.#measure(phase, message, `spec.validations[${i}].messageExpression`).value;
      });
    } catch (error) {
      return explainBudget(error);
    }
  }

  #evaluateAnnotations(): AnnotationDecision[] {
    const { annotations } = this.#compiled;
    if (annotations.length === 0) return [];
    const phase = this.#beginPhase(evaluationCostLimit, this.#variables);
    return annotations.map(({ annotation, compiled }, i): AnnotationDecision => {
      const field = `spec.auditAnnotations[${i}].valueExpression`;
      const { value, error, seconds } = this.#measure(phase, compiled, field);
      const { key } = annotation;
      if (error !== undefined) {
        return { key, action: this.#ignoresErrors ? 'exclude' : 'error', text: error, seconds };
      }
      const text = typeof value === 'string' ? value.trim() : '';
      return { key, action: text === '' ? 'exclude' : 'publish', text, seconds };
    });
  }

  #conclude(outcome: Partial<PolicyEvaluation>): PolicyEvaluation {
    return { decisions: [], annotations: [], cost: this.#cost, traces: this.#traces, ...outcome };
  }
}

/**
 * What a policy says of a request, in Kubernetes' words: conditions, validations with their messages, audit annotations, each on its own
 * budget. Throws EvaluationInterrupted only, when the bounds ask for it.
 */
export function evaluatePolicy(input: PolicyEvaluationInput, context: EvaluationContext): EvaluationOutcome {
  try {
    return new PolicyEvaluator(input, context).evaluate();
  } catch (error) {
    if (error instanceof MissingFact) return { needs: error.question };
    throw error;
  }
}
