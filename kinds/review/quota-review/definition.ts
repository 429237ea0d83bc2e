import { deriveSchema } from '../../derive-schema.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { column, nameColumn } from '../../printer-columns.ts';
import { quotaReviewSchema } from './schema.ts';
import type { QuotaReview } from './schema.ts';
import { quotaReviewStrategy } from './strategy.ts';

/** QuotaReview: whether an object would fit the quotas of a namespace. */
export const quotaReviewKind: KindDefinition<QuotaReview> = {
  kind: 'QuotaReview',
  groupTemplate: 'review.{domain}',
  version: 'v1',
  plural: 'quotareviews',
  singular: 'quotareview',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['create'],
  schema: deriveSchema(quotaReviewSchema),
  strategy: quotaReviewStrategy,
  columns: [
    nameColumn,
    column('Allowed', 'boolean', 'Whether the write fits every quota.'),
    column('Reason', 'string', 'Why it does not.'),
  ],
  printRow: ({ metadata, status }) => [metadata.name ?? '', status.allowed, status.reason ?? ''],
  description: 'Asks whether an object would fit the quotas of a namespace, and what is left of them.',
};
