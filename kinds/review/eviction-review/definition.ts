import { deriveSchema } from '../../derive-schema.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { column, nameColumn } from '../../printer-columns.ts';
import { evictionReviewSchema } from './schema.ts';
import type { EvictionReview } from './schema.ts';
import { evictionReviewStrategy } from './strategy.ts';

/** EvictionReview: whether a pod could be evicted, and how a node could be drained. */
export const evictionReviewKind: KindDefinition<EvictionReview> = {
  kind: 'EvictionReview',
  groupTemplate: 'review.{domain}',
  version: 'v1',
  plural: 'evictionreviews',
  singular: 'evictionreview',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['create'],
  schema: deriveSchema(evictionReviewSchema),
  strategy: evictionReviewStrategy,
  columns: [
    nameColumn,
    column('Allowed', 'boolean', 'Whether the pod, or every pod of the node, could go.'),
    column('Reason', 'string', 'Why not.'),
  ],
  printRow: ({ metadata, status }) => [metadata.name ?? '', status.allowed, status.reason ?? ''],
  description: 'Asks whether a pod could be evicted now, or in which order the pods of a node could leave.',
};
