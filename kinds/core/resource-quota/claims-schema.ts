import { atomicList, flag, int64, omitted, required, resourceList, struct, text } from '../../schema-vocabulary.ts';

const V1 = 'bailiwick.v1';

/** Schema of `status.claims`: use that was granted and is not yet observed. Only the custom resource has it. */
export const quotaClaimsSchema = omitted(
  atomicList(
    struct(
      { definition: `${V1}.QuotaClaim`, description: 'Use that was granted to one object and is not yet observed.' },
      {
        uid: required(text(), 'UID of the object.'),
        resource: required(text(), 'Resource of the object, such as deployments.apps.'),
        usage: required(resourceList(), 'Use of the object once it is stored.'),
        charge: omitted(resourceList(), 'What the claim adds to used; absent: all of its usage.'),
        version: omitted(text(), 'Newest resourceVersion that a granted update was made on; absent for a new object.'),
        mixed: omitted(flag(), 'Whether updates of several versions were granted.'),
        since: required(text(), 'When the claim was made.'),
      },
    ),
  ),
  'Use that was granted and is not yet observed; used includes it. Kept by the webhooks and the quota controller.',
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
