import { deepClone } from '../../../core/meta/deep.ts';
import type { KindStrategy } from '../../kind-definition.ts';
import { resetMetadata } from '../../reset-metadata.ts';
import { applyPriorityLevelDefaults } from './defaults.ts';
import type { PriorityLevelConfiguration } from './schema.ts';
import { validatePriorityLevel, validatePriorityLevelStatus } from './validate.ts';

/** How priority levels are written: a write of the status leaves spec and metadata alone. */
export const priorityLevelConfigurationStrategy: KindStrategy<PriorityLevelConfiguration> = {
  generationFields: ['spec'],
  repeatedChecks: ['object'],
  resetFields: [['status']],
  applyDefaults: applyPriorityLevelDefaults,
  prepareForCreate(level) {
    level.status = {};
  },
  prepareForUpdate(level, old) {
    level.status = deepClone(old.status);
  },
  validateCreate: validatePriorityLevel,
  validateUpdate: validatePriorityLevel,
  status: {
    repeatedChecks: [],
    resetFields: [['metadata'], ['spec']],
    prepareForUpdate(level, old) {
      resetMetadata(level, old);
      level.spec = deepClone(old.spec);
    },
    validateUpdate: validatePriorityLevelStatus,
  },
};
