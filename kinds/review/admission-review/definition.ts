import { deriveSchema } from '../../derive-schema.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { column, nameColumn } from '../../printer-columns.ts';
import { admissionReviewSchema } from './schema.ts';
import type { AdmissionReview } from './schema.ts';
import { admissionReviewStrategy } from './strategy.ts';

/** AdmissionReview: whether admission policies would let an object pass, and which not. */
export const admissionReviewKind: KindDefinition<AdmissionReview> = {
  kind: 'AdmissionReview',
  groupTemplate: 'review.{domain}',
  version: 'v1',
  plural: 'admissionreviews',
  singular: 'admissionreview',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['create'],
  schema: deriveSchema(admissionReviewSchema),
  strategy: admissionReviewStrategy,
  columns: [
    nameColumn,
    column('Allowed', 'boolean', 'Whether policies let the write pass.'),
    column('Reason', 'string', 'Why they do not.'),
  ],
  printRow: ({ metadata, status }) => [metadata.name ?? '', status.allowed, status.reason ?? ''],
  description: 'Asks whether admission policies would let an object pass, and what each of their expressions yields.',
};
