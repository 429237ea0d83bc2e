import { loadExpressions } from '../../core/cel/load-expressions.ts';
import { EvaluationInterrupted } from '../../core/cel/plan/cost-meter.ts';
import { keyOfQuestion, type Permissions } from '../../core/cel/libraries/authorizer/permission.ts';
import { Deferred } from '../../core/load/deferred.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import {
  concludePolicies,
  type DecidedStep,
  type PolicyVerdict,
} from '../../kinds/admissionregistration/policy/conclude-policies.ts';
import type {
  EvaluationOutcome,
  PolicyEvaluation,
  PolicyEvaluationInput,
} from '../../kinds/admissionregistration/policy/evaluate-policy.ts';
import { measureSource } from '../../kinds/admissionregistration/policy/measure-source.ts';
import { makeNamespaceVariable } from '../../kinds/admissionregistration/policy/namespace-variable.ts';
import type { ParamSource } from '../../kinds/admissionregistration/policy/plan-params.ts';
import { planPolicySteps } from '../../kinds/admissionregistration/policy/plan-policy-steps.ts';
import {
  type BoundPolicy,
  isNamespaceRequest,
  type PolicyRequest,
} from '../../kinds/admissionregistration/policy/policy-request.ts';
import type {
  ParamKind,
  ValidatingAdmissionPolicy,
} from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { LocalEvaluator } from './local-evaluator.ts';
import type { DecideOptions, PolicyServices } from './policy-services.ts';

/** A turn of the event loop that evaluations may fill, in milliseconds. */
const sliceMillis = 8;
/** How many evaluations of a policy go elsewhere once one of them was too long for the same user. */
const strikeLength = 64;

/** What was decided, and each step that led there. */
export interface PolicyDecision {
  readonly verdict: PolicyVerdict;
  readonly steps: readonly DecidedStep[];
}

/** Policies that measure more are not even compiled here, as by measureSource. */
const maxSource = 10_000;

/** Whoever awaits the promise later hears of its failure; nobody else must. */
function startQuietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function formatKey({ apiVersion = '', kind = '' }: ParamKind): string {
  return `${apiVersion} ${kind}`;
}

/** So many policies of one request may be tried here in vain; then the rest of them goes elsewhere untried. */
const maxInterruptions = 1;

/** Stands in for an evaluation that is still under way. */
const nothingYet: PolicyEvaluation = { decisions: [], annotations: [], cost: 0, traces: [] };

const late = 'operation interrupted: the time of the request is over';
const broken = 'internal error: the policy could not be evaluated';

/** A policy that was not evaluated has failed. */
function makeFailedEvaluation({ spec }: ValidatingAdmissionPolicy, message: string): PolicyEvaluation {
  const action = spec.failurePolicy === 'Ignore' ? 'admit' : 'deny';
  return { decisions: [{ action, evaluation: 'error', message, seconds: 0 }], annotations: [], cost: 0, traces: [] };
}

const maxUsers = 1_000;

/** How many evaluations go elsewhere, by policy and by who makes the request: nobody's heavy objects are held against others. */
class Strikes {
  readonly #byPolicy = new WeakMap<ValidatingAdmissionPolicy, Map<string, number>>();
  readonly #isLong = new WeakMap<ValidatingAdmissionPolicy, boolean>();

  /** Whether the next evaluation goes elsewhere; counts it. A policy that takes long to compile always does. */
  take({ policy, request }: RunInput): boolean {
    let isLong = this.#isLong.get(policy);
    if (isLong === undefined) this.#isLong.set(policy, (isLong = measureSource(policy.spec) > maxSource));
    if (isLong) return true;
    const users = this.#byPolicy.get(policy);
    const left = users?.get(request.user.username) ?? 0;
    if (left > 0) users?.set(request.user.username, left - 1);
    return left > 0;
  }

  /** The next evaluations go elsewhere. */
  add({ policy, request }: RunInput): void {
    let users = this.#byPolicy.get(policy);
    if (users === undefined || users.size >= maxUsers) this.#byPolicy.set(policy, (users = new Map()));
    users.set(request.user.username, strikeLength);
  }
}

type RunInput = Omit<PolicyEvaluationInput, 'permissions'>;

/** The evaluations of one request: what they learn about permissions, and the time they take. */
class DecisionRun {
  readonly #services: PolicyServices;
  readonly #evaluator: Deferred<LocalEvaluator>;
  readonly #strikes: Strikes;
  readonly #options: DecideOptions;
  #permissions: Permissions = {};
  #interruptions = 0;
  #sliceStart = performance.now();

  constructor(services: PolicyServices, evaluator: Deferred<LocalEvaluator>, strikes: Strikes, options: DecideOptions) {
    this.#services = services;
    this.#evaluator = evaluator;
    this.#strikes = strikes;
    this.#options = options;
  }

  /** Evaluates here; `undefined` when it is too long for that. */
  async evaluate(input: RunInput): Promise<PolicyEvaluation | undefined> {
    const { policy } = input;
    const canGo = this.#services.evaluateElsewhere !== undefined;
    if (canGo && (this.#interruptions >= maxInterruptions || this.#strikes.take(input))) return undefined;
    for (;;) {
      await this.pause();
      if (this.#isLate()) return makeFailedEvaluation(policy, late);
      try {
        const evaluator = this.#evaluator.isLoaded ? this.#evaluator.value : await this.#evaluator.load();
        const outcome = evaluator.evaluate({ ...input, permissions: this.#permissions }, this.#options, canGo);
        if (!('needs' in outcome)) return this.#note(policy, outcome);
        await this.#learn(outcome);
      } catch (error) {
        if (!(error instanceof EvaluationInterrupted)) return this.#fail(policy, error);
        this.#interruptions += 1;
        this.#strikes.add(input);
        return undefined;
      }
    }
  }

  async evaluateElsewhere(input: RunInput): Promise<PolicyEvaluation> {
    try {
      return await this.#evaluateElsewhere(input);
    } catch (error) {
      return this.#fail(input.policy, error);
    }
  }

  #fail(policy: ValidatingAdmissionPolicy, error: unknown): PolicyEvaluation {
    const { onFailure } = this.#services;
    if (onFailure === undefined) throw error;
    onFailure(policy, error);
    return makeFailedEvaluation(policy, broken);
  }

  async #evaluateElsewhere(input: RunInput): Promise<PolicyEvaluation> {
    const { policy } = input;
    for (;;) {
      if (this.#isLate()) return makeFailedEvaluation(policy, late);
      const outcome = await this.#services.evaluateElsewhere?.(
        { ...input, permissions: this.#permissions },
        this.#options,
      );
      if (outcome === undefined) return makeFailedEvaluation(policy, late);
      if (!('needs' in outcome)) return this.#note(policy, outcome);
      await this.#learn(outcome);
    }
  }

  #note(policy: ValidatingAdmissionPolicy, evaluation: PolicyEvaluation): PolicyEvaluation {
    for (const { messageFault } of evaluation.decisions) {
      if (messageFault !== undefined) this.#services.onMessageFault?.(policy, messageFault);
    }
    return evaluation;
  }

  async #learn({ needs }: Extract<EvaluationOutcome, { needs: unknown }>): Promise<void> {
    const key = keyOfQuestion(needs);
    if (key in this.#permissions) throw new Error('a permission was asked for that is known');
    const answer = await this.#services.askPermission(needs);
    this.#permissions = { ...this.#permissions, [key]: answer };
  }

  #isLate(): boolean {
    const { deadlineMillis } = this.#options;
    return deadlineMillis !== undefined && this.#services.clock.now() >= deadlineMillis;
  }

  /** Lets everything else have a turn when this one is used up. */
  async pause(): Promise<void> {
    if (performance.now() - this.#sliceStart < sliceMillis) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#sliceStart = performance.now();
  }
}

/**
 * Decides about requests by policies: gathers what they need to know, evaluates them one after the other without holding up anything else,
 * and concludes. Keeps what it compiled.
 */
export class PolicyDecider {
  readonly #services: PolicyServices;
  /** Compiles and evaluates: without policies nothing of it is needed. */
  readonly #evaluator = new Deferred(async () => {
    await loadExpressions();
    const { LocalEvaluator: Evaluator } = await import('./local-evaluator.ts');
    return new Evaluator(this.#services);
  });
  readonly #strikes = new Strikes();
  readonly #namespaceVariables = new WeakMap<KubeObject, JsonObject>();

  constructor(services: PolicyServices) {
    this.#services = services;
  }

  /** Loads what compiles and evaluates, so that no decision waits for it. */
  async prepare(): Promise<void> {
    await this.#evaluator.load();
  }

  /** Decides by all of `bound`; those that do not match say why. `namespace` is the one the request's object is in, or is. */
  async decide(
    request: PolicyRequest,
    bound: readonly BoundPolicy[],
    namespace: KubeObject | undefined,
    options: DecideOptions = {},
  ): Promise<PolicyDecision> {
    const params = await this.#gatherParams(bound);
    const facts = { namespace, params: (kind: ParamKind) => params.get(formatKey(kind)) };
    const namespaceObject = isNamespaceRequest(request) ? null : this.#showNamespace(namespace);
    const run = new DecisionRun(this.#services, this.#evaluator, this.#strikes, options);
    const decided: DecidedStep[] = [];
    const pending: Promise<void>[] = [];
    for (const one of bound) {
      await run.pause();
      // What a policy says with a parameter does not depend on the binding.
      const known = new Map<JsonObject | null, PolicyEvaluation | Promise<PolicyEvaluation>>();
      for (const steps of planPolicySteps(request, [one], facts)) {
        await run.pause();
        for (const step of steps) {
          if (step.type !== 'evaluate') {
            decided.push(step);
            continue;
          }
          const { policy, param, matched } = step;
          const input = { policy, param, request, matched, namespaceObject };
          const evaluation =
            known.get(param) ?? (await run.evaluate(input)) ?? startQuietly(run.evaluateElsewhere(input));
          known.set(param, evaluation);
          const place = decided.length;
          if (evaluation instanceof Promise) {
            decided.push({ ...step, evaluation: nothingYet });
            pending.push(
              startQuietly(evaluation.then((found) => void (decided[place] = { ...step, evaluation: found }))),
            );
          } else {
            decided.push({ ...step, evaluation });
          }
        }
      }
    }
    await Promise.all(pending);
    const conclusion = concludePolicies(decided, this.#services);
    for (;;) {
      const { done, value: verdict } = conclusion.next();
      if (done === true) return { verdict, steps: decided };
      await run.pause();
    }
  }

  async #gatherParams(bound: readonly BoundPolicy[]): Promise<ReadonlyMap<string, ParamSource>> {
    const sources = new Map<string, ParamSource>();
    for (const { policy } of bound) {
      const { paramKind } = policy.spec;
      if (paramKind === undefined || sources.has(formatKey(paramKind))) continue;
      sources.set(formatKey(paramKind), await this.#services.findParams(paramKind));
    }
    return sources;
  }

  #showNamespace(namespace: KubeObject | undefined): JsonObject | null {
    if (namespace === undefined) return null;
    const known = this.#namespaceVariables.get(namespace);
    if (known !== undefined) return known;
    const shown = makeNamespaceVariable(namespace as unknown as JsonObject);
    this.#namespaceVariables.set(namespace, shown);
    return shown;
  }
}
