import type { KindStrategy } from '../../kind-definition.ts';
import type { LimitReview } from './schema.ts';
import { validateLimitReview } from './validate.ts';

/** How reviews are asked: the status is the answer's, and nothing is stored. */
export const limitReviewStrategy: KindStrategy<LimitReview> = {
  applyDefaults({ spec }) {
    spec.operation ??= 'CREATE';
  },
  prepareForCreate(review) {
    review.status = { allowed: false, enforced: false, limitRanges: 0 };
  },
  prepareForUpdate() {},
  validateCreate: validateLimitReview,
  validateUpdate: validateLimitReview,
};
