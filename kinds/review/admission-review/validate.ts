import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { validateReviewedWrite } from '../reviewed-write.ts';
import type { AdmissionReview } from './schema.ts';

/** Faults of a review's spec ("AdmissionReview"), but for those that only who knows the object's kind can find. */
export function validateAdmissionReview({ spec }: AdmissionReview): FieldError[] {
  return validateReviewedWrite(spec, FieldPath.root('spec'));
}
