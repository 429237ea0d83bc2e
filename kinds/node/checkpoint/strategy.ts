import { deepClone } from '../../../core/meta/deep.ts';
import type { KindStrategy } from '../../kind-definition.ts';
import type { Checkpoint } from './schema.ts';
import { validateCheckpoint, validateCheckpointUpdate } from './validate.ts';

/** How checkpoints are changed: the archive, and what it is of, are the node's to tell. */
export const checkpointStrategy: KindStrategy<Checkpoint> = {
  applyDefaults() {},
  prepareForCreate() {},
  prepareForUpdate(checkpoint, old) {
    checkpoint.status = deepClone(old.status);
  },
  validateCreate: validateCheckpoint,
  validateUpdate: validateCheckpointUpdate,
};
