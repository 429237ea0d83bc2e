import type { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import {
  atomicList,
  filled,
  flag,
  int32,
  omitted,
  required,
  resourceList,
  struct,
  text,
} from '../../schema-vocabulary.ts';
import { reviewedWriteFields } from '../reviewed-write.ts';
import { reviewPackage } from '../review-package.ts';

const specSchema = struct(
  { definition: `${reviewPackage}.QuotaReviewSpec`, description: 'The write to review.' },
  reviewedWriteFields,
);

const answerSchema = struct(
  { definition: `${reviewPackage}.ReviewedQuota`, description: 'What one quota says to the write.' },
  {
    name: required(text(), 'Name of the quota.'),
    matches: filled(
      flag(),
      'Whether the quota concerns the object: it limits what the object uses, and its scopes match.',
    ),
    scopes: omitted(atomicList(text()), 'Scopes of the quota, those of its selector too.'),
    fits: filled(flag(), 'Whether the write fits; true for a quota that does not concern it.'),
    reason: omitted(text(), 'Why it does not fit, in the words of the refusal.'),
    requested: omitted(resourceList(), 'What the write would add to the use.'),
    used: omitted(resourceList(), 'What is used now.'),
    hard: omitted(resourceList(), 'The limits.'),
    left: omitted(resourceList(), 'What of the limits is not used now; below zero where more is used than the limit.'),
  },
);

const statusSchema = struct(
  { definition: `${reviewPackage}.QuotaReviewStatus`, description: 'The answer.' },
  {
    allowed: filled(
      flag(),
      'Whether quotas let the write pass: it fits all of the namespace, or refusals do not bind.',
    ),
    enforced: filled(
      flag(),
      'Whether refusals bind: false in namespaces that are never governed, and while the release is set to Audit or Off.',
    ),
    reason: omitted(text(), 'Why it does not fit.'),
    matching: filled(int32(), 'How many quotas concern the object.'),
    quotas: omitted(
      atomicList(answerSchema),
      'Every quota of the namespace; absent when the caller may not list resource quotas there.',
    ),
  },
);

/** Schema of QuotaReview. */
export const quotaReviewSchema = kindSchema(`${reviewPackage}.QuotaReview`, 'Would this object fit the quotas?', {
  spec: filled(specSchema, 'The write to review.'),
  status: filled(statusSchema, 'The answer.'),
});

/** A question about quotas and its answer ("QuotaReview"). */
export type QuotaReview = z.infer<typeof quotaReviewSchema>;
/** What one quota says to the write. */
export type ReviewedQuota = z.infer<typeof answerSchema>;
/** The answer of a QuotaReview. */
export type QuotaReviewStatus = z.infer<typeof statusSchema>;
