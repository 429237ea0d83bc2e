import { deriveSchema } from '../../derive-schema.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { column, nameColumn } from '../../printer-columns.ts';
import { limitReviewSchema } from './schema.ts';
import type { LimitReview } from './schema.ts';
import { limitReviewStrategy } from './strategy.ts';

/** LimitReview: what limit ranges would fill into an object, and which of their bounds it breaks. */
export const limitReviewKind: KindDefinition<LimitReview> = {
  kind: 'LimitReview',
  groupTemplate: 'review.{domain}',
  version: 'v1',
  plural: 'limitreviews',
  singular: 'limitreview',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['create'],
  schema: deriveSchema(limitReviewSchema),
  strategy: limitReviewStrategy,
  columns: [
    nameColumn,
    column('Allowed', 'boolean', 'Whether the write keeps every bound.'),
    column('Reason', 'string', 'Why it does not.'),
  ],
  printRow: ({ metadata, status }) => [metadata.name ?? '', status.allowed, status.reason ?? ''],
  description: 'Asks what limit ranges would fill into an object, and which of their bounds it breaks.',
};
