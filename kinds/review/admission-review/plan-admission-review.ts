import { encodeJson } from '../../../core/decode/encode-json.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { DecidedStep, PolicyVerdict } from '../../admissionregistration/policy/conclude-policies.ts';
import type { ExpressionTrace, PolicyEvaluation } from '../../admissionregistration/policy/evaluate-policy.ts';
import type { AdmissionReviewStatus, ReviewedBinding, ReviewedExpression, ReviewedPolicy } from './schema.ts';

const maxResultLength = 1000;
const validationField = /^spec\.validations\[(\d+)\]\.expression$/;

function showResult(trace: ExpressionTrace): string | undefined {
  if (trace.result === undefined) return undefined;
  const text = encodeJson(trace.result);
  return text.length > maxResultLength ? `${text.slice(0, maxResultLength)}…` : text;
}

function reviewExpression(trace: ExpressionTrace, { decisions }: PolicyEvaluation): ReviewedExpression {
  const index = validationField.exec(trace.field)?.[1];
  const decision = index === undefined ? undefined : decisions[Number(index)];
  const result = showResult(trace);
  return {
    field: trace.field,
    expression: trace.expression,
    ...(result === undefined ? {} : { result }),
    ...(trace.error === undefined ? {} : { error: trace.error }),
    ...(decision?.evaluation === 'deny' ? { message: decision.message } : {}),
    cost: trace.cost,
  };
}

/** What fails of an evaluation, whatever the failurePolicy makes of errors. */
function listFailures({ decisions, annotations }: PolicyEvaluation): string[] {
  return [
    ...decisions.flatMap(({ evaluation, message }) => (evaluation === 'admit' ? [] : [message])),
    ...annotations.flatMap(({ action, text }) => (action === 'error' ? [text] : [])),
  ];
}

function nameParam(param: JsonObject | null): string | undefined {
  if (param === null) return undefined;
  const { namespace, name } = param['metadata'] as { readonly namespace?: string; readonly name?: string };
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** What one step says of a binding; `undefined` when it is about the policy alone. */
function reviewStep(step: DecidedStep): ReviewedBinding | undefined {
  const { binding } = step;
  if (binding === undefined) return undefined;
  const { validationActions } = binding.spec;
  const common = {
    name: binding.metadata.name ?? '',
    ...(validationActions === undefined ? {} : { validationActions }),
  };
  if (step.type === 'skip') return { ...common, matches: false, why: step.why, cost: 0 };
  if (step.type === 'failure') return { ...common, matches: true, failures: [step.message], cost: 0 };
  const { evaluation } = step;
  const param = nameParam(step.param);
  const failures = listFailures(evaluation);
  const { unmatchedCondition } = evaluation;
  return {
    ...common,
    ...(param === undefined ? {} : { param }),
    matches: unmatchedCondition === undefined,
    ...(unmatchedCondition === undefined ? {} : { why: `the match condition "${unmatchedCondition}" is false` }),
    ...(failures.length === 0 ? {} : { failures }),
    cost: evaluation.cost,
    ...(evaluation.traces.length === 0
      ? {}
      : { expressions: evaluation.traces.map((trace) => reviewExpression(trace, evaluation)) }),
  };
}

function reviewPolicies(steps: readonly DecidedStep[]): ReviewedPolicy[] {
  const policies = new Map<string, { why?: string; bindings: ReviewedBinding[] }>();
  for (const step of steps) {
    const name = step.policy.metadata.name ?? '';
    let policy = policies.get(name);
    if (policy === undefined) policies.set(name, (policy = { bindings: [] }));
    const reviewed = reviewStep(step);
    if (reviewed !== undefined) policy.bindings.push(reviewed);
    else if (step.type === 'skip') policy.why ??= step.why;
  }
  return [...policies].map(([name, { why, bindings }]) => ({
    name,
    matches: bindings.some(({ matches }) => matches),
    ...(why === undefined ? {} : { why }),
    ...(bindings.length === 0 ? {} : { bindings }),
  }));
}

/** What the policies say to a write, each by itself and all together, from the decision that enforces them. */
export function planAdmissionReview(verdict: PolicyVerdict, steps: readonly DecidedStep[]): AdmissionReviewStatus {
  const { refusal, warnings, annotations } = verdict;
  const policies = reviewPolicies(steps);
  return {
    allowed: refusal === undefined,
    ...(refusal === undefined ? {} : { reason: refusal.message, code: refusal.code }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    matching: policies.filter(({ matches }) => matches).length,
    ...(annotations.size === 0 ? {} : { auditAnnotations: Object.fromEntries(annotations) }),
    ...(policies.length === 0 ? {} : { policies }),
  };
}
