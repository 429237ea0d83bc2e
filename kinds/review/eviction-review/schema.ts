import type { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import {
  atomicList,
  choice,
  filled,
  flag,
  int32,
  omitted,
  pointer,
  required,
  struct,
  text,
} from '../../schema-vocabulary.ts';
import { reviewPackage } from '../review-package.ts';

const specSchema = struct(
  {
    definition: `${reviewPackage}.EvictionReviewSpec`,
    description: 'What is to be evicted: a pod, or everything on a node.',
  },
  {
    pod: omitted(text(), 'Name of a pod in the namespace of the review.'),
    node: omitted(text(), 'Name of a node that is to be drained; its pods of all namespaces are asked about.'),
  },
);

const reviewedBudgetSchema = struct(
  { definition: `${reviewPackage}.ReviewedBudget`, description: 'What one budget says to the eviction.' },
  {
    name: required(text(), 'Name of the budget.'),
    allows: filled(flag(), 'Whether the budget lets the pod go now.'),
    reason: omitted(
      choice(['Processing', 'Exhausted', 'Negative', 'TooManyPending', 'UnknownPolicy']),
      'Why it does not, in one word.',
    ),
    message: omitted(text(), 'Why it does not, in the words of the refusal.'),
    healthyNeeded: omitted(int32(), 'How many more healthy pods it takes until the budget lets the pod go.'),
    never: omitted(text(), 'Why the budget never lets a healthy pod go, whatever becomes healthy.'),
    disruptionsAllowed: filled(int32(), 'How many pods it lets go now.'),
    currentHealthy: filled(int32(), 'How many of its pods are healthy.'),
    desiredHealthy: filled(int32(), 'How many of them must be.'),
    expectedPods: filled(int32(), 'How many pods it counts.'),
  },
);

const drainedPodSchema = struct(
  { definition: `${reviewPackage}.DrainedPod`, description: 'What becomes of one pod when the node is drained.' },
  {
    namespace: required(text(), 'Namespace of the pod.'),
    name: required(text(), 'Name of the pod.'),
    action: required(
      choice(['Evict', 'Ignore', 'Never', 'Terminating', 'Wait']),
      'Evict: goes in its round. Wait: goes in its round once more pods are healthy, or a budget is counted. Never: cannot ' +
        'go before the budget or what it selects is changed. Terminating: is going already. Ignore: stays, as for kubectl drain.',
    ),
    round: omitted(
      int32(),
      'Round in which it goes, from 1: all of a round can go at once, when the replacements of the rounds before are Ready.',
    ),
    budgets: omitted(
      atomicList(text()),
      'Budgets that select it; absent when there are none, or the caller may not list budgets there.',
    ),
    healthyNeeded: omitted(int32(), 'How many more healthy pods it takes before its round.'),
    message: omitted(text(), 'Why it waits, never goes or stays.'),
    drainOptions: omitted(
      atomicList(text()),
      'Options without which kubectl drain refuses to begin because of this pod.',
    ),
  },
);

const unnamedPodsSchema = struct(
  {
    definition: `${reviewPackage}.UnnamedPods`,
    description: 'Pods of the node that the caller may not list, counted by action.',
  },
  {
    evict: filled(int32(), 'How many go.'),
    wait: filled(int32(), 'How many wait.'),
    never: filled(int32(), 'How many never go.'),
    terminating: filled(int32(), 'How many are going already.'),
    ignore: filled(int32(), 'How many stay.'),
  },
);

const statusSchema = struct(
  { definition: `${reviewPackage}.EvictionReviewStatus`, description: 'The answer.' },
  {
    allowed: filled(
      flag(),
      'Whether the pod could go now; of a node: whether all that a drain evicts can go, round by round, as things are.',
    ),
    enforced: filled(
      flag(),
      'Whether refusals bind: false in namespaces that are never governed, and while the release is set to Audit or Off.',
    ),
    reason: omitted(text(), 'Why not.'),
    matching: filled(int32(), 'How many budgets select the pod, or pods of the node.'),
    healthyNeeded: omitted(int32(), 'How many more healthy pods it takes until the pod could go.'),
    budgets: omitted(
      atomicList(reviewedBudgetSchema),
      'Every budget that selects the pod; absent when the caller may not list budgets in the namespace.',
    ),
    rounds: omitted(int32(), 'How many rounds the drain takes.'),
    pods: omitted(
      atomicList(drainedPodSchema),
      'The pods of the node that the caller may list, in the order in which they go.',
    ),
    unnamed: pointer(unnamedPodsSchema, 'The other pods of the node; absent when there are none.'),
  },
);

/** Schema of EvictionReview. */
export const evictionReviewSchema = kindSchema(
  `${reviewPackage}.EvictionReview`,
  'Could this pod go, or this node be drained?',
  {
    spec: filled(specSchema, 'What is to be evicted.'),
    status: filled(statusSchema, 'The answer.'),
  },
);

/** A question about evictions and its answer ("EvictionReview"). */
export type EvictionReview = z.infer<typeof evictionReviewSchema>;
/** The answer of an EvictionReview. */
export type EvictionReviewStatus = z.infer<typeof statusSchema>;
/** What one budget says to an eviction. */
export type ReviewedBudget = z.infer<typeof reviewedBudgetSchema>;
/** What becomes of one pod of a node that is drained. */
export type DrainedPod = z.infer<typeof drainedPodSchema>;
