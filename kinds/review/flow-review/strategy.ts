import type { KindStrategy } from '../../kind-definition.ts';
import type { FlowReview } from './schema.ts';
import { validateFlowReview } from './validate.ts';

/** How reviews are asked: the status is the answer's, and nothing is stored. */
export const flowReviewStrategy: KindStrategy<FlowReview> = {
  applyDefaults({ spec }) {
    spec.method ??= 'GET';
  },
  prepareForCreate(review) {
    review.status = { subject: false, exempt: false };
  },
  prepareForUpdate() {},
  validateCreate: validateFlowReview,
  validateUpdate: validateFlowReview,
};
