import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { validateReviewedWrite } from '../reviewed-write.ts';
import type { QuotaReview } from './schema.ts';

/** Faults of a review's spec ("QuotaReview"), but for those that only who knows the object's kind can find. */
export function validateQuotaReview({ spec }: QuotaReview): FieldError[] {
  return validateReviewedWrite(spec, FieldPath.root('spec'));
}
