import type { DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import type { CheckedKind } from '../../../kinds/admissionregistration/validating-admission-policy/plan-type-checking.ts';
import type { ValidatingAdmissionPolicySpec } from '../../../kinds/admissionregistration/validating-admission-policy/schema.ts';

/** A policy that a thread is asked to check against one kind; plain data. */
export interface TypeCheckingTask {
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly kind: CheckedKind;
  /** Absent: their type is not known, or there are none. */
  readonly params: DeclaredType | undefined;
}
