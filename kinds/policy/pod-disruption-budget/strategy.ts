import { deepClone } from '../../../core/meta/deep.ts';
import { checkPathSegmentName } from '../../../core/validation/names.ts';
import type { KindStrategy } from '../../kind-definition.ts';
import { applyPodDisruptionBudgetDefaults } from './defaults.ts';
import type { PodDisruptionBudget } from './schema.ts';
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatus,
  validatePodDisruptionBudgetUpdate,
} from './validate.ts';

/** How budgets are written: an update must name the resourceVersion it changes; the status belongs to the controller. */
export const podDisruptionBudgetStrategy: KindStrategy<PodDisruptionBudget> = {
  allowUnconditionalUpdate: false,
  allowsPlainFinalizers: true,
  validateName: checkPathSegmentName,
  generationFields: ['spec'],
  repeatedChecks: [],
  resetFields: [['status']],
  applyDefaults: applyPodDisruptionBudgetDefaults,
  prepareForCreate(budget) {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  prepareForUpdate(budget, old) {
    budget.status = deepClone(old.status);
  },
  validateCreate: validatePodDisruptionBudget,
  validateUpdate: validatePodDisruptionBudgetUpdate,
  status: {
    repeatedChecks: [],
    resetFields: [['spec']],
    prepareForUpdate(budget, old) {
      budget.spec = deepClone(old.spec);
    },
    validateUpdate: validatePodDisruptionBudgetStatus,
  },
};
