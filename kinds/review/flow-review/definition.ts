import { deriveSchema } from '../../derive-schema.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { column, nameColumn } from '../../printer-columns.ts';
import { flowReviewSchema } from './schema.ts';
import type { FlowReview } from './schema.ts';
import { flowReviewStrategy } from './strategy.ts';

/** FlowReview: which FlowSchema, priority level, flow and queues a request gets. */
export const flowReviewKind: KindDefinition<FlowReview> = {
  kind: 'FlowReview',
  groupTemplate: 'review.{domain}',
  version: 'v1',
  plural: 'flowreviews',
  singular: 'flowreview',
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs: ['create'],
  schema: deriveSchema(flowReviewSchema),
  strategy: flowReviewStrategy,
  columns: [
    nameColumn,
    column('FlowSchema', 'string', 'The FlowSchema that takes the request.'),
    column('PriorityLevel', 'string', 'Its priority level.'),
  ],
  printRow: ({ metadata, status }) => [metadata.name ?? '', status.flowSchema ?? '', status.priorityLevel ?? ''],
  description:
    'Asks which FlowSchema, priority level, flow and queues a request gets, and why the other FlowSchemas do not match.',
};
