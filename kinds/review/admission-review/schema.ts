import type { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import {
  atomicList,
  filled,
  flag,
  int32,
  int64,
  mapOf,
  omitted,
  required,
  setList,
  struct,
  text,
} from '../../schema-vocabulary.ts';
import { reviewedWriteFields } from '../reviewed-write.ts';
import { reviewPackage } from '../review-package.ts';

const specSchema = struct(
  { definition: `${reviewPackage}.AdmissionReviewSpec`, description: 'The write to review.' },
  reviewedWriteFields,
);

const expressionSchema = struct(
  { definition: `${reviewPackage}.ReviewedExpression`, description: 'One expression that was evaluated.' },
  {
    field: required(text(), 'Where it stands in the policy, such as spec.validations[0].expression.'),
    expression: required(text(), 'The expression.'),
    result: omitted(text(), 'What it yields, as JSON; cut after 1,000 characters.'),
    error: omitted(text(), 'Why it yields nothing.'),
    message: omitted(text(), 'For a validation that fails, the message of the failure.'),
    cost: filled(int64(), 'What it cost, without the variables that it reads.'),
  },
);

const evaluationSchema = struct(
  {
    definition: `${reviewPackage}.ReviewedBinding`,
    description: 'What a policy says by one of its bindings, with one parameter.',
  },
  {
    name: required(text(), 'Name of the binding.'),
    param: omitted(text(), 'Name of the parameter, behind that of its namespace; absent: without one.'),
    matches: filled(flag(), 'Whether it was evaluated, or could not be for its own fault.'),
    why: omitted(text(), 'The first reason why it does not match.'),
    validationActions: omitted(setList(text()), 'What the binding does with failures.'),
    failures: omitted(atomicList(text()), 'What fails, in the words of the refusal.'),
    cost: filled(int64(), 'What the evaluation cost.'),
    expressions: omitted(
      atomicList(expressionSchema),
      'Every expression that was evaluated: match conditions, variables, validations, messages, audit annotations.',
    ),
  },
);

const policySchema = struct(
  { definition: `${reviewPackage}.ReviewedPolicy`, description: 'What one policy says to the write.' },
  {
    name: required(text(), 'Name of the policy.'),
    matches: filled(flag(), 'Whether any of its bindings matches.'),
    why: omitted(text(), 'The first reason why none does, where the policy itself has it.'),
    bindings: omitted(atomicList(evaluationSchema), 'Its bindings, each once for every parameter.'),
  },
);

const statusSchema = struct(
  { definition: `${reviewPackage}.AdmissionReviewStatus`, description: 'The answer.' },
  {
    allowed: filled(flag(), 'Whether admission policies let the write pass.'),
    reason: omitted(text(), 'Why not, in the words of the refusal.'),
    code: omitted(int32(), 'HTTP code of the refusal.'),
    warnings: omitted(atomicList(text()), 'What the writer would be warned of.'),
    matching: filled(int32(), 'How many policies match.'),
    auditAnnotations: omitted(
      mapOf(text()),
      'What policies would add to the audit event; absent when the caller may not list policies.',
    ),
    policies: omitted(atomicList(policySchema), 'Every policy; absent when the caller may not list policies.'),
  },
);

/** Schema of AdmissionReview. */
export const admissionReviewSchema = kindSchema(
  `${reviewPackage}.AdmissionReview`,
  'Would policies admit this object?',
  {
    spec: filled(specSchema, 'The write to review.'),
    status: filled(statusSchema, 'The answer.'),
  },
);

/** A question about admission policies and its answer ("AdmissionReview"). */
export type AdmissionReview = z.infer<typeof admissionReviewSchema>;
/** One expression that was evaluated. */
export type ReviewedExpression = z.infer<typeof expressionSchema>;
/** What a policy says by one of its bindings, with one parameter. */
export type ReviewedBinding = z.infer<typeof evaluationSchema>;
/** What one policy says to the write. */
export type ReviewedPolicy = z.infer<typeof policySchema>;
/** The answer of an AdmissionReview. */
export type AdmissionReviewStatus = z.infer<typeof statusSchema>;
