import type { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import {
  atomicList,
  choice,
  filled,
  flag,
  int32,
  int64,
  omitted,
  pointer,
  required,
  struct,
  text,
} from '../../schema-vocabulary.ts';
import { reviewPackage } from '../review-package.ts';

const specSchema = struct(
  { definition: `${reviewPackage}.FlowReviewSpec`, description: 'The request to review.' },
  {
    method: omitted(text(), 'HTTP method; GET when absent.'),
    path: required(text(), 'Path of the request with its query, such as /api/v1/pods?limit=500.'),
    user: omitted(text(), 'Who makes the request; absent: who asks, with their groups.'),
    groups: omitted(atomicList(text()), 'Groups of that user; only with `user`.'),
  },
);

const ruleSchema = struct(
  { definition: `${reviewPackage}.ReviewedFlowRule`, description: 'Why one entry of the rules does not match.' },
  {
    field: required(text(), 'The entry, such as spec.rules[0].'),
    mismatch: required(
      choice([
        'subjects',
        'resourceRules',
        'nonResourceRules',
        'verbs',
        'resources',
        'apiGroups',
        'clusterScope',
        'namespaces',
        'nonResourceURLs',
      ]),
      'What of it does not: no subject is the user, there is no rule for this sort of request, or the field of the rule that comes closest.',
    ),
  },
);

const schemaSchema = struct(
  { definition: `${reviewPackage}.ReviewedFlowSchema`, description: 'What became of one FlowSchema.' },
  {
    name: required(text(), 'Name of the FlowSchema.'),
    priorityLevel: omitted(text(), 'Name of its priority level; absent when that is not there.'),
    matchingPrecedence: omitted(int32(), 'When it is asked: the least number first, then by name.'),
    outcome: required(
      choice(['Selected', 'Preceded', 'NotMatched', 'Dangling']),
      'Selected: it takes the request. Preceded: it matches too, and comes later. NotMatched: `rules` says why. Dangling: its ' +
        'priority level is not there, so it is not asked.',
    ),
    rules: omitted(atomicList(ruleSchema), 'Why it does not match, entry by entry.'),
  },
);

const seatsSchema = struct(
  { definition: `${reviewPackage}.ReviewedSeats`, description: 'Seats that the request takes.' },
  {
    initial: filled(int32(), 'While it is served.'),
    final: filled(int32(), 'For a while after it, for what it causes.'),
    additionalLatencyMillis: filled(int64(), 'How long that is, in milliseconds.'),
  },
);

const statusSchema = struct(
  { definition: `${reviewPackage}.FlowReviewStatus`, description: 'The answer.' },
  {
    subject: filled(
      flag(),
      'Whether the request is subject to flow control: what goes on for long and is no watch is not.',
    ),
    exempt: filled(flag(), 'Whether it is served at once, whatever else is going on.'),
    flowSchemaUID: omitted(text(), 'The FlowSchema, as the header X-Kubernetes-PF-FlowSchema-UID has it.'),
    priorityLevelUID: omitted(text(), 'The priority level, as the header X-Kubernetes-PF-PriorityLevel-UID has it.'),
    seats: pointer(seatsSchema, 'What it is estimated to take now; absent when it is not subject to flow control.'),
    flowSchema: omitted(text(), 'Name of the FlowSchema. Names are for those who may list both kinds.'),
    priorityLevel: omitted(text(), 'Name of the priority level.'),
    flowDistinguisher: omitted(text(), 'What tells its flow from others of the schema; absent for none.'),
    flowHash: omitted(text(), 'Hash of the flow, in hex; absent where there are no queues.'),
    hand: omitted(atomicList(int32()), 'Queues of the level that the flow may use; absent where there are none.'),
    flowSchemas: omitted(
      atomicList(schemaSchema),
      'What became of every FlowSchema, in the order in which they are asked.',
    ),
  },
);

/** Schema of FlowReview. */
export const flowReviewSchema = kindSchema(`${reviewPackage}.FlowReview`, 'Which flow does this request fall in?', {
  spec: filled(specSchema, 'The request to review.'),
  status: filled(statusSchema, 'The answer.'),
});

/** A question about flow control and its answer ("FlowReview"). */
export type FlowReview = z.infer<typeof flowReviewSchema>;
/** The answer of a FlowReview. */
export type FlowReviewStatus = z.infer<typeof statusSchema>;
/** What became of one FlowSchema. */
export type ReviewedFlowSchema = z.infer<typeof schemaSchema>;
