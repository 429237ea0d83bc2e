import { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import {
  atomicList,
  filled,
  flag,
  int32,
  note,
  omitted,
  pointer,
  required,
  struct,
  text,
} from '../../schema-vocabulary.ts';
import { reviewedWriteFields } from '../reviewed-write.ts';
import { reviewPackage } from '../review-package.ts';

const specSchema = struct(
  { definition: `${reviewPackage}.LimitReviewSpec`, description: 'The write to review.' },
  reviewedWriteFields,
);

const defaultedFieldSchema = struct(
  { definition: `${reviewPackage}.DefaultedField`, description: 'One field that a limit range fills in.' },
  {
    path: required(text(), 'Path of the field, such as spec.containers[0].resources.limits[cpu].'),
    value: required(text(), 'What is filled in.'),
    limitRange: required(text(), 'Name of the limit range.'),
  },
);

const violationSchema = struct(
  { definition: `${reviewPackage}.LimitViolation`, description: 'One bound that the object breaks.' },
  {
    limitRange: required(text(), 'Name of the limit range.'),
    item: required(text(), 'Type of the item of the limit range: Container, Pod or PersistentVolumeClaim.'),
    subject: omitted(text(), 'Name of the container, for the type Container.'),
    resource: required(text(), 'Name of the resource.'),
    message: required(text(), 'What is wrong, in the words of the refusal.'),
    remedy: required(text(), 'What would let it pass.'),
  },
);

const statusSchema = struct(
  { definition: `${reviewPackage}.LimitReviewStatus`, description: 'The answer.' },
  {
    allowed: filled(flag(), 'Whether limit ranges let the write pass: it keeps every bound, or refusals do not bind.'),
    enforced: filled(
      flag(),
      'Whether refusals bind: false in namespaces that are never governed, and while the release is set to Audit or Off.',
    ),
    reason: omitted(text(), 'Which bounds it breaks, in the words of the refusal.'),
    limitRanges: filled(int32(), 'How many limit ranges were asked; 0 when they do not concern such a write.'),
    defaulted: omitted(
      atomicList(defaultedFieldSchema),
      'What limit ranges fill in; absent when the caller may not list limit ranges in the namespace.',
    ),
    object: pointer(
      note(z.record(z.string(), z.unknown()), {
        definition: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
        goType: 'runtime.RawExtension',
        preserveUnknown: true,
      }),
      'The object after defaulting, where something is filled in.',
    ),
    violations: omitted(
      atomicList(violationSchema),
      'Every bound that the object breaks; absent when the caller may not list limit ranges in the namespace.',
    ),
  },
);

/** Schema of LimitReview. */
export const limitReviewSchema = kindSchema(
  `${reviewPackage}.LimitReview`,
  'Would this object keep the limit ranges?',
  {
    spec: filled(specSchema, 'The write to review.'),
    status: filled(statusSchema, 'The answer.'),
  },
);

/** A question about limit ranges and its answer ("LimitReview"). */
export type LimitReview = z.infer<typeof limitReviewSchema>;
/** The answer of a LimitReview. */
export type LimitReviewStatus = z.infer<typeof statusSchema>;
