import { deepClone } from '../../../core/meta/deep.ts';
import type { KindStrategy } from '../../kind-definition.ts';
import { resetMetadata } from '../../reset-metadata.ts';
import { applyFlowSchemaDefaults } from './defaults.ts';
import type { FlowSchema } from './schema.ts';
import { validateFlowSchema, validateFlowSchemaStatus } from './validate.ts';

/** How flow schemas are written: a write of the status leaves spec and metadata alone. */
export const flowSchemaStrategy: KindStrategy<FlowSchema> = {
  generationFields: ['spec'],
  repeatedChecks: ['object'],
  resetFields: [['status']],
  applyDefaults: applyFlowSchemaDefaults,
  prepareForCreate(schema) {
    schema.status = {};
  },
  prepareForUpdate(schema, old) {
    schema.status = deepClone(old.status);
  },
  validateCreate: validateFlowSchema,
  validateUpdate: validateFlowSchema,
  status: {
    repeatedChecks: [],
    resetFields: [['metadata'], ['spec']],
    prepareForUpdate(schema, old) {
      resetMetadata(schema, old);
      schema.spec = deepClone(old.spec);
    },
    validateUpdate: validateFlowSchemaStatus,
  },
};
