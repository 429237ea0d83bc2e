import type { z } from 'zod';
import { conditionSchema, kindSchema, labelSelectorSchema } from '../../object-schemas.ts';
import {
  choice,
  filled,
  int32,
  int64,
  intOrString,
  mapList,
  mapOf,
  omitted,
  pointer,
  required,
  struct,
  time,
} from '../../schema-vocabulary.ts';

const V1 = 'io.k8s.api.policy.v1';

/** Schema of a budget's spec. */
export const podDisruptionBudgetSpecSchema = struct(
  { definition: `${V1}.PodDisruptionBudgetSpec`, description: 'Which pods, and how many of them must stay.' },
  {
    minAvailable: pointer(
      intOrString(),
      'How many selected pods must remain after an eviction; excludes maxUnavailable.',
    ),
    selector: pointer(labelSelectorSchema, 'Pods of the budget; absent selects none, empty all of the namespace.', {
      patchStrategy: ['replace'],
    }),
    maxUnavailable: pointer(
      intOrString(),
      'How many selected pods may be missing after an eviction; excludes minAvailable.',
    ),
    unhealthyPodEvictionPolicy: pointer(
      choice(['IfHealthyBudget', 'AlwaysAllow'], 'v1.UnhealthyPodEvictionPolicyType'),
      'Whether running pods that are not healthy may go regardless of the budget; IfHealthyBudget when absent.',
    ),
  },
);

const statusSchema = struct(
  { definition: `${V1}.PodDisruptionBudgetStatus`, description: 'What the budget allows now.' },
  {
    observedGeneration: omitted(int64(), 'Generation that the status is of.'),
    disruptedPods: omitted(
      mapOf(time()),
      'Pods whose eviction was granted and that are not yet gone, with the time of the grant.',
    ),
    disruptionsAllowed: required(int32(), 'How many pods may be disrupted now.'),
    currentHealthy: required(int32(), 'How many pods are healthy.'),
    desiredHealthy: required(int32(), 'How many pods must be healthy.'),
    expectedPods: required(int32(), 'How many pods the budget counts.'),
    conditions: omitted(mapList(conditionSchema, ['type']), 'DisruptionAllowed, and others.'),
  },
);

/** Schema of PodDisruptionBudget. */
export const podDisruptionBudgetSchema = kindSchema(
  `${V1}.PodDisruptionBudget`,
  'Limits how many of a set of pods may be disrupted at a time.',
  {
    spec: filled(podDisruptionBudgetSpecSchema, 'The budget.'),
    status: filled(statusSchema, 'What it allows now.'),
  },
);

/** Greatest disruption of a set of pods ("PodDisruptionBudget"). */
export type PodDisruptionBudget = z.infer<typeof podDisruptionBudgetSchema>;
