import type { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import { filled, int32, mapList, omitted, pointer, required, struct, text } from '../../schema-vocabulary.ts';
import { flowConditionSchema } from '../flow-conditions.ts';

const V1 = 'io.k8s.api.flowcontrol.v1';

const queuingSchema = struct(
  { definition: `${V1}.QueuingConfiguration`, description: 'Queues of a level whose requests may wait.' },
  {
    queues: filled(int32(), 'How many queues; 64 when absent, and 1 turns shuffle sharding off.'),
    handSize: filled(int32(), 'How many queues a flow may use; 8 when absent, at most queues.'),
    queueLengthLimit: filled(int32(), 'How many requests may wait in one queue; 50 when absent.'),
  },
);

const limitResponseSchema = struct(
  { definition: `${V1}.LimitResponse`, description: 'What happens to requests that cannot run at once.' },
  {
    type: required(text(), 'Queue or Reject.', { goType: 'v1.LimitResponseType' }),
    queuing: pointer(queuingSchema, 'The queues, for type Queue.'),
  },
);

const limitedSchema = struct(
  { definition: `${V1}.LimitedPriorityLevelConfiguration`, description: 'Limits of a level.' },
  {
    nominalConcurrencyShares: pointer(int32(), 'Share of the concurrency of the server; 30 when absent.'),
    limitResponse: filled(limitResponseSchema, 'What happens to requests beyond the limit.'),
    lendablePercent: pointer(int32(), 'How much of the nominal limit others may borrow: 0 (the default) to 100.'),
    borrowingLimitPercent: pointer(
      int32(),
      'How much may be borrowed from others, in percent of the nominal limit; absent: any.',
    ),
  },
);

const exemptSchema = struct(
  { definition: `${V1}.ExemptPriorityLevelConfiguration`, description: 'Lending of the level without limits.' },
  {
    nominalConcurrencyShares: pointer(int32(), 'Share of the concurrency that is set aside; 0 when absent.'),
    lendablePercent: pointer(int32(), 'How much of it others may borrow: 0 (the default) to 100.'),
  },
);

/** Schema of a priority level's spec. */
export const priorityLevelSpecSchema = struct(
  {
    definition: `${V1}.PriorityLevelConfigurationSpec`,
    description: 'Whether and how requests of the level are limited.',
  },
  {
    type: required(text(), 'Exempt or Limited.', { goType: 'v1.PriorityLevelEnablement' }),
    limited: pointer(limitedSchema, 'The limits, for type Limited.'),
    exempt: pointer(exemptSchema, 'The lending, for type Exempt.'),
  },
);

/** Schema of PriorityLevelConfiguration. */
export const priorityLevelConfigurationSchema = kindSchema(
  `${V1}.PriorityLevelConfiguration`,
  'Configures one priority level of requests.',
  {
    spec: filled(priorityLevelSpecSchema, 'The level.'),
    status: filled(
      struct(
        { definition: `${V1}.PriorityLevelConfigurationStatus`, description: 'State of the level.' },
        {
          conditions: omitted(
            mapList(flowConditionSchema('PriorityLevelConfiguration'), ['type']),
            'Conditions by type.',
          ),
        },
      ),
      'State of the level.',
    ),
  },
);

/** One priority level of requests ("PriorityLevelConfiguration"). */
export type PriorityLevelConfiguration = z.infer<typeof priorityLevelConfigurationSchema>;
/** Whether and how requests of the level are limited. */
export type PriorityLevelSpec = z.infer<typeof priorityLevelSpecSchema>;
/** Queues of a level. */
export type QueuingConfiguration = z.infer<typeof queuingSchema>;
/** Limits of a level. */
export type LimitedPriorityLevel = z.infer<typeof limitedSchema>;
/** Lending of the exempt level. */
export type ExemptPriorityLevel = z.infer<typeof exemptSchema>;
