import type { StatusRules, WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject } from '../../workloads/read-field.ts';
import { applyDefinitionDefaults, noteStorageVersion } from './defaults.ts';

/** How definitions are written: what was stored once is noted for as long as there are definitions of it. */
export const customResourceDefinitionRules: WorkloadRules = {
  allowUnconditionalUpdate: false,
  applyDefaults: applyDefinitionDefaults,
  prepareForCreate(definition) {
    // Go writes a list that nobody made yet as null.
    ensureObject(definition, 'status')['conditions'] = null;
    noteStorageVersion(definition);
  },
  prepareForUpdate: noteStorageVersion,
};

/** How the status of definitions is written. */
export const customResourceDefinitionStatusRules: StatusRules = {
  resetFields: [['metadata']],
};
