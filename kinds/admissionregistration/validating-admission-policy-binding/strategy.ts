import type { KindStrategy } from '../../kind-definition.ts';
import { applyBindingDefaults } from './defaults.ts';
import type { ValidatingAdmissionPolicyBinding } from './schema.ts';
import { validateBinding } from './validate.ts';

/** How bindings are written: an update must name the resourceVersion it changes. */
export const validatingAdmissionPolicyBindingStrategy: KindStrategy<ValidatingAdmissionPolicyBinding> = {
  allowUnconditionalUpdate: false,
  allowsPlainFinalizers: true,
  generationFields: ['spec'],
  repeatedChecks: ['object'],
  applyDefaults: applyBindingDefaults,
  prepareForCreate() {},
  prepareForUpdate() {},
  validateCreate: validateBinding,
  validateUpdate: validateBinding,
};
