import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { validateReviewedWrite } from '../reviewed-write.ts';
import type { LimitReview } from './schema.ts';

/** Faults of a review's spec ("LimitReview"), but for those that only who knows the object's kind can find. */
export function validateLimitReview({ spec }: LimitReview): FieldError[] {
  return validateReviewedWrite(spec, FieldPath.root('spec'));
}
