import type { StructuralSchema } from '../../core/schema/structural-schema.ts';
import type { PolicyEvaluationInput } from '../../kinds/admissionregistration/policy/evaluate-policy.ts';
import type { KindName } from '../../kinds/admissionregistration/policy/policy-request.ts';

/** What a thread is asked to evaluate; plain data. */
export interface EvaluationTask {
  readonly input: PolicyEvaluationInput;
  readonly domain: string;
  readonly traces: boolean;
  /** Schemas of kinds that users define, which a thread does not know. */
  readonly schemas: readonly { readonly kind: KindName; readonly schema: StructuralSchema }[];
}
