import type { FieldError } from '../../core/errors/field-error.ts';
import { makeInvalidError } from '../../core/errors/make-status-error.ts';
import type { StatusError } from '../../core/errors/status.ts';
import { parseApiVersion } from '../../core/meta/resource-name.ts';
import type { ReviewCall } from './review-services.ts';

/** The refusal of a review that cannot be answered, for faults of what it asks about. */
export function refuseReview({ review }: Pick<ReviewCall, 'review'>, faults: readonly FieldError[]): StatusError {
  const { group } = parseApiVersion(review.apiVersion) ?? { group: '' };
  return makeInvalidError(group, review.kind, review.metadata.name ?? '', [...faults]);
}
