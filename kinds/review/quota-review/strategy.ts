import type { KindStrategy } from '../../kind-definition.ts';
import type { QuotaReview } from './schema.ts';
import { validateQuotaReview } from './validate.ts';

/** How reviews are asked: the status is the answer's, and nothing is stored. */
export const quotaReviewStrategy: KindStrategy<QuotaReview> = {
  applyDefaults({ spec }) {
    spec.operation ??= 'CREATE';
  },
  prepareForCreate(review) {
    review.status = { allowed: false, enforced: false, matching: 0 };
  },
  prepareForUpdate() {},
  validateCreate: validateQuotaReview,
  validateUpdate: validateQuotaReview,
};
