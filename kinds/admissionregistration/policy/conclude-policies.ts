import type { ValidatingAdmissionPolicyBinding } from '../validating-admission-policy-binding/schema.ts';
import type { AnnotationDecision, PolicyEvaluation, ValidationDecision } from './evaluate-policy.ts';
import type { EvaluateStep, FailureStep, SkipStep } from './plan-policy-steps.ts';

/** A step with what it came to. */
export type DecidedStep = SkipStep | FailureStep | (EvaluateStep & { readonly evaluation: PolicyEvaluation });

/** Why a request is refused; `causes` begins with `message`. */
export interface PolicyRefusal {
  /** `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: …`. */
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly causes: readonly string[];
}

/** Something that an expression did, for metrics. */
export interface PolicyObservation {
  readonly policy: string;
  readonly binding: string;
  readonly errorType: 'compile_error' | 'invalid_error' | 'out_of_budget' | 'no_error';
  readonly action: 'allow' | 'audit' | 'deny' | 'warn';
  readonly seconds: number;
}

/** What all policies together say of a request. */
export interface PolicyVerdict {
  /** Absent when the request is let through. */
  readonly refusal?: PolicyRefusal;
  readonly warnings: readonly string[];
  /** Annotations of the audit event by their whole keys. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly observations: readonly PolicyObservation[];
  /** What evaluating cost, by policy, in units of cost. */
  readonly costs: ReadonlyMap<string, number>;
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };
const invalid = { reason: 'Invalid', code: 422 };
/** The longest value of an audit annotation, in bytes of UTF-8. */
const maxAnnotationBytes = 10 * 1024;
/** About how long the texts of one answer's causes may be together, in characters. */
const maxCauseText = 1 << 20;

/** Somebody's failure to keep a rule, or a policy's own. */
interface Failure {
  readonly step: FailureStep | EvaluateStep;
  readonly message: string;
  readonly reason?: string;
  readonly expressionIndex: number;
  readonly seconds: number;
}

function findErrorType(message: string): PolicyObservation['errorType'] {
  if (message.startsWith('compilation')) return 'compile_error';
  const isSpent = message.startsWith('validation failed due to running out of cost budget');
  return isSpent ? 'out_of_budget' : 'invalid_error';
}

function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // Back to where a character begins.
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** JSON as Go writes it. */
function encodeGoJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Gathers what the steps came to. */
class VerdictBuilder {
  readonly warnings: string[] = [];
  readonly observations: PolicyObservation[] = [];
  readonly costs = new Map<string, number>();
  readonly #domain: string;
  readonly #denials: { readonly text: string; readonly reason: string }[] = [];
  readonly #audited: object[] = [];
  /** Values by policy and key. */
  readonly #annotations = new Map<string, Set<string>>();

  constructor(domain: string) {
    this.#domain = domain;
  }

  add(step: DecidedStep): void {
    if (step.type === 'skip') return;
    if (step.type === 'failure') {
      if (step.policy.spec.failurePolicy === 'Ignore') return;
      this.#fail({ step, message: step.message, expressionIndex: 0, seconds: 0 });
      return;
    }
    const { evaluation } = step;
    const policy = step.policy.metadata.name ?? '';
    this.costs.set(policy, (this.costs.get(policy) ?? 0) + evaluation.cost);
    for (const [i, decision] of evaluation.decisions.entries()) this.#decide(step, decision, i);
    for (const [i, annotation] of evaluation.annotations.entries()) this.#annotate(step, annotation, i);
  }

  build(): PolicyVerdict {
    const annotations = new Map<string, string>();
    if (this.#audited.length > 0) {
      const key = `validation.policy.admission.${this.#domain}/validation_failure`;
      annotations.set(key, encodeGoJson(this.#audited));
    }
    for (const [key, values] of this.#annotations) annotations.set(key, [...values].join(', '));
    const { warnings, observations, costs } = this;
    const refusal = this.#makeRefusal();
    return { ...(refusal === undefined ? {} : { refusal }), warnings, annotations, observations, costs };
  }

  #decide(step: EvaluateStep, decision: ValidationDecision, expressionIndex: number): void {
    const { action, evaluation, message, reason, seconds } = decision;
    if (action === 'deny') {
      this.#fail({ step, message, ...(reason === undefined ? {} : { reason }), expressionIndex, seconds });
    } else if (evaluation === 'error') {
      this.#observe(step.binding, 'allow', message, seconds);
    }
  }

  #annotate(step: EvaluateStep, { key, action, text, seconds }: AnnotationDecision, expressionIndex: number): void {
    if (action === 'error') this.#fail({ step, message: text, expressionIndex, seconds });
    if (action !== 'publish') return;
    const whole = `${step.policy.metadata.name ?? ''}/${key}`;
    const values = this.#annotations.get(whole) ?? new Set();
    this.#annotations.set(whole, values.add(cutText(text, maxAnnotationBytes)));
  }

  #fail({ step, message, reason, expressionIndex, seconds }: Failure): void {
    const { policy, binding } = step;
    const policyName = policy.metadata.name ?? '';
    const bindingName = binding.metadata.name ?? '';
    const { validationActions = [] } = binding.spec;
    for (const action of validationActions) {
      if (action === 'Deny') {
        const isOfPolicy = step.type === 'failure' && step.isOfPolicy;
        const by = isOfPolicy ? `'${policyName}'` : `'${policyName}' with binding '${bindingName}'`;
        this.#denials.push({
          text: `ValidatingAdmissionPolicy ${by} denied request: ${message}`,
          reason: reason ?? invalid.reason,
        });
        this.#observe(binding, 'deny', message, seconds);
      } else if (action === 'Warn') {
        this.warnings.push(
          `Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}': ${message}`,
        );
        this.#observe(binding, 'warn', message, seconds);
      } else if (action === 'Audit') {
        this.#audited.push({ message, policy: policyName, binding: bindingName, expressionIndex, validationActions });
        this.#observe(binding, 'audit', message, seconds);
      }
    }
  }

  #observe(
    { metadata, spec }: ValidatingAdmissionPolicyBinding,
    action: PolicyObservation['action'],
    message: string,
    seconds: number,
  ): void {
    const errorType = findErrorType(message);
    this.observations.push({
      policy: spec.policyName ?? '',
      binding: metadata.name ?? '',
      errorType,
      action,
      seconds,
    });
  }

  #makeRefusal(): PolicyRefusal | undefined {
    const [first] = this.#denials;
    if (first === undefined) return undefined;
    const { reason } = first;
    const causes: string[] = [];
    let length = 0;
    for (const text of new Set(this.#denials.map((denial) => denial.text))) {
      causes.push(text);
      length += text.length;
      if (length > maxCauseText) break;
    }
    return { message: first.text, reason, code: codes[reason] ?? invalid.code, causes };
  }
}

/** About a millisecond of them. */
const stepsOfTurn = 1_000;

/**
 * What the steps come to together. The first failure that denies is the one of the answer; all of them are its causes. A misconfiguration, or
 * an annotation that fails, does what the binding says of failures, like everything else. Yields now and then, so that who has much else to
 * do can do it between.
 */
export function* concludePolicies(
  steps: readonly DecidedStep[],
  { domain }: { readonly domain: string },
): Generator<undefined, PolicyVerdict> {
  const builder = new VerdictBuilder(domain);
  for (const [i, step] of steps.entries()) {
    if (i % stepsOfTurn === stepsOfTurn - 1) yield;
    builder.add(step);
  }
  return builder.build();
}
