import { atomicList, int64, omitted, required, struct, text } from '../../schema-vocabulary.ts';

const V1 = 'bailiwick.v1';

/** Schema of `status.claims`: use that was granted and is not yet observed. Only the custom resource has it. */
export const quotaClaimsSchema = omitted(
  atomicList(text()),
  'Use that was granted to one object each and is not yet observed; used includes it. Kept by the webhooks and the quota controller.',
);

/** Schema of `status.count`: the last count. Only the custom resource has it. */
export const quotaCountSchema = omitted(
  struct(
    { definition: `${V1}.QuotaCount`, description: 'Which count the status is of.' },
    {
      generation: required(int64(), 'Generation of the spec that was counted.'),
      serial: required(int64(), 'How many counts there were.'),
    },
  ),
  'Which count the status is of. Kept by the quota controller.',
);
