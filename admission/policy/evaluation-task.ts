import type { PolicyEvaluationInput } from '../../kinds/admissionregistration/policy/evaluate-policy.ts';

/** What a thread is asked to evaluate; plain data. */
export interface EvaluationTask {
  readonly input: PolicyEvaluationInput;
  readonly domain: string;
  readonly traces: boolean;
}
