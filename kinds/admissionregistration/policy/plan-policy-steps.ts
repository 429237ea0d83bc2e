import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ValidatingAdmissionPolicyBinding } from '../validating-admission-policy-binding/schema.ts';
import type { ParamKind, ValidatingAdmissionPolicy } from '../validating-admission-policy/schema.ts';
import { matchRequest, type RequestMatch } from './match-request.ts';
import { planParams, type ParamSource } from './plan-params.ts';
import type { BoundPolicy, NamedKind, PolicyRequest } from './policy-request.ts';

/** A policy, or one of its bindings, that has nothing to say about the request, and the first reason why. */
export interface SkipStep {
  readonly type: 'skip';
  readonly policy: ValidatingAdmissionPolicy;
  readonly binding?: ValidatingAdmissionPolicyBinding;
  readonly why: string;
}

/** A binding that cannot be evaluated as it is configured. `isOfPolicy`: the fault is the policy's own. */
export interface FailureStep {
  readonly type: 'failure';
  readonly policy: ValidatingAdmissionPolicy;
  readonly binding: ValidatingAdmissionPolicyBinding;
  readonly isOfPolicy: boolean;
  readonly message: string;
}

/** One (policy, binding, param) to evaluate. */
export interface EvaluateStep {
  readonly type: 'evaluate';
  readonly policy: ValidatingAdmissionPolicy;
  readonly binding: ValidatingAdmissionPolicyBinding;
  /** Null when the policy has no parameters, or the binding names none. */
  readonly param: JsonObject | null;
  /** What the policy's rules matched. */
  readonly matched: NamedKind;
}

/** One step of a decision, in the order in which they are taken. */
export type PolicyStep = SkipStep | FailureStep | EvaluateStep;

/** What is known besides the request. */
export interface PolicyFacts {
  /** The namespace of the request's object; `undefined` when there is none, or the object is cluster-scoped. */
  readonly namespace: KubeObject | undefined;
  /** Objects of a kind of parameters that a policy names; `undefined` as much as a fault means that nobody serves it. */
  params(kind: ParamKind): ParamSource | undefined;
}

function planBinding(
  request: PolicyRequest,
  { policy, binding }: { policy: ValidatingAdmissionPolicy; binding: ValidatingAdmissionPolicyBinding },
  matched: NamedKind,
  facts: PolicyFacts,
): PolicyStep[] {
  const { matchResources, paramRef } = binding.spec;
  const fail = (fault: string, isOfPolicy = false): FailureStep => ({
    type: 'failure',
    policy,
    binding,
    isOfPolicy,
    message: `failed to configure ${isOfPolicy ? 'policy' : 'binding'}: ${fault}`,
  });
  if (matchResources !== undefined) {
    const match = matchRequest(matchResources, request, facts.namespace);
    if (!match.matches) {
      return [match.fault === undefined ? { type: 'skip', policy, binding, why: match.why } : fail(match.fault)];
    }
  }
  const { paramKind } = policy.spec;
  const source = paramKind === undefined ? undefined : facts.params(paramKind);
  if (source?.fault !== undefined) return [fail(source.fault, true)];
  const plan = planParams(paramKind, paramRef, request.namespace, source);
  if ('fault' in plan) return [fail(plan.fault)];
  if (plan.params.length === 0) return [{ type: 'skip', policy, binding, why: 'there are no such parameters' }];
  return plan.params.map((param) => ({ type: 'evaluate', policy, binding, param, matched }));
}

function* planPolicy(
  request: PolicyRequest,
  { policy, bindings }: BoundPolicy,
  facts: PolicyFacts,
): Generator<readonly PolicyStep[]> {
  const { matchConstraints } = policy.spec;
  if (bindings.length === 0) {
    yield [{ type: 'skip', policy, why: 'no binding puts it into effect' }];
    return;
  }
  const match: RequestMatch =
    matchConstraints === undefined
      ? { matches: false, why: 'it has no matchConstraints' }
      : matchRequest(matchConstraints, request, facts.namespace);
  if (match.matches) {
    for (const binding of bindings) yield planBinding(request, { policy, binding }, match.as, facts);
  } else if (match.fault === undefined) {
    yield [{ type: 'skip', policy, why: match.why }];
  } else {
    const message = `failed to configure policy: ${match.fault}`;
    yield bindings.map((binding) => ({ type: 'failure', policy, binding, isOfPolicy: true, message }));
  }
}

/**
 * What is to be evaluated for a request, what cannot be, and what need not be; in the order of policies, bindings and parameters. Yields the
 * steps of one binding at a time, so that who has much else to do can do it between.
 */
export function* planPolicySteps(
  request: PolicyRequest,
  bound: readonly BoundPolicy[],
  facts: PolicyFacts,
): Generator<readonly PolicyStep[]> {
  for (const one of bound) yield* planPolicy(request, one, facts);
}
