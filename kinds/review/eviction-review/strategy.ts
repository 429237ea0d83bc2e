import type { KindStrategy } from '../../kind-definition.ts';
import type { EvictionReview } from './schema.ts';
import { validateEvictionReview } from './validate.ts';

/** How reviews are asked: the status is the answer's, and nothing is stored. */
export const evictionReviewStrategy: KindStrategy<EvictionReview> = {
  applyDefaults() {},
  prepareForCreate(review) {
    review.status = { allowed: false, enforced: false, matching: 0 };
  },
  prepareForUpdate() {},
  validateCreate: validateEvictionReview,
  validateUpdate: validateEvictionReview,
};
