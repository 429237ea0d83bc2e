import type { RuleCase } from '../../../rule-case.ts';
import { makeReviewedWriteRules } from '../../testdata/reviewed-write-rules.ts';

/** The rules of QuotaReview. */
export const quotaReviewRules: readonly RuleCase[] = makeReviewedWriteRules('QuotaReview');
