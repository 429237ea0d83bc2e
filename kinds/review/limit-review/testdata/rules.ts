import type { RuleCase } from '../../../rule-case.ts';
import { makeReviewedWriteRules } from '../../testdata/reviewed-write-rules.ts';

/** The rules of LimitReview. */
export const limitReviewRules: readonly RuleCase[] = makeReviewedWriteRules('LimitReview');
