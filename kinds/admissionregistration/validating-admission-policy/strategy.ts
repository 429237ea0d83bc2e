import { deepClone } from '../../../core/meta/deep.ts';
import type { KindStrategy } from '../../kind-definition.ts';
import { resetMetadata } from '../../reset-metadata.ts';
import { isLongSource } from '../policy/measure-source.ts';
import { applyPolicyDefaults } from './defaults.ts';
import type { ValidatingAdmissionPolicy } from './schema.ts';
import { expressionCompiler, validatePolicy, validatePolicyStatus, validatePolicyUpdate } from './validate.ts';

/** How policies are written: an update must name the resourceVersion it changes; the status changes nothing else. */
export const validatingAdmissionPolicyStrategy: KindStrategy<ValidatingAdmissionPolicy> = {
  allowUnconditionalUpdate: false,
  allowsPlainFinalizers: true,
  generationFields: ['spec'],
  repeatedChecks: ['object'],
  resetFields: [['status']],
  applyDefaults: applyPolicyDefaults,
  prepareForCreate(policy) {
    policy.status = {};
  },
  prepareForUpdate(policy, old) {
    policy.status = deepClone(old.status);
  },
  loadChecks: () => expressionCompiler.load(),
  takesLong: ({ spec }) => isLongSource(spec),
  validateCreate: validatePolicy,
  validateUpdate: validatePolicyUpdate,
  status: {
    repeatedChecks: [],
    resetFields: [['metadata'], ['spec']],
    prepareForUpdate(policy, old) {
      resetMetadata(policy, old);
      policy.spec = deepClone(old.spec);
    },
    validateUpdate: validatePolicyStatus,
  },
};
