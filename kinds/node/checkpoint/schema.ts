import type { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import { choice, filled, flag, int64, omitted, required, struct, text, time } from '../../schema-vocabulary.ts';

const V1 = 'dev.bailiwick.node.v1';

const specSchema = struct(
  { definition: `${V1}.CheckpointSpec`, description: 'What was checkpointed, and whether the archive is kept.' },
  {
    podName: required(text(), 'Name of the pod, in the namespace of the checkpoint.'),
    podUID: omitted(text(), 'UID of the pod.', { goType: 'types.UID' }),
    containerName: required(text(), 'Name of the container.'),
    nodeName: required(text(), 'Name of the node whose agent holds the archive.'),
    pinned: omitted(flag(), 'Whether the archive is kept until somebody deletes it, whatever the limits of the node.'),
  },
);

const statusSchema = struct(
  { definition: `${V1}.CheckpointStatus`, description: 'The archive.' },
  {
    phase: omitted(choice(['Completed']), 'Completed: the archive is whole, and on the disk of the node.'),
    archive: omitted(text(), 'Path of the archive on the node.'),
    sizeBytes: omitted(int64(), 'Size of the archive.'),
    startTime: omitted(time(), 'When the runtime was asked.'),
    completionTime: omitted(time(), 'When the archive was whole.'),
  },
);

/** Schema of Checkpoint. */
export const checkpointSchema = kindSchema(
  `${V1}.Checkpoint`,
  'The saved state of a running container, in an archive on its node.',
  {
    spec: filled(specSchema, 'What was checkpointed, and whether the archive is kept.'),
    status: filled(statusSchema, 'The archive.'),
  },
);

/** The saved state of a container ("Checkpoint"). */
export type Checkpoint = z.infer<typeof checkpointSchema>;
