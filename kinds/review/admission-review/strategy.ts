import type { KindStrategy } from '../../kind-definition.ts';
import type { AdmissionReview } from './schema.ts';
import { validateAdmissionReview } from './validate.ts';

/** How reviews are asked: the status is the answer's, and nothing is stored. */
export const admissionReviewStrategy: KindStrategy<AdmissionReview> = {
  applyDefaults({ spec }) {
    spec.operation ??= 'CREATE';
  },
  prepareForCreate(review) {
    review.status = { allowed: false, matching: 0 };
  },
  prepareForUpdate() {},
  validateCreate: validateAdmissionReview,
  validateUpdate: validateAdmissionReview,
};
