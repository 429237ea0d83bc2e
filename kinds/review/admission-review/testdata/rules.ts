import type { RuleCase } from '../../../rule-case.ts';
import { makeReviewedWriteRules } from '../../testdata/reviewed-write-rules.ts';

/** The rules of AdmissionReview. */
export const admissionReviewRules: readonly RuleCase[] = makeReviewedWriteRules('AdmissionReview');
