import type { KindStrategy } from '../../kind-definition.ts';
import { applyLimitRangeDefaults } from './defaults.ts';
import type { LimitRange } from './schema.ts';
import { validateLimitRange } from './validate.ts';

/** How ranges are written: PUT may create one, and one without a name gets a UUID as its name. */
export const limitRangeStrategy: KindStrategy<LimitRange> = {
  namesUnnamed: true,
  allowCreateOnUpdate: true,
  repeatedChecks: ['object'],
  applyDefaults: applyLimitRangeDefaults,
  prepareForCreate() {},
  prepareForUpdate() {},
  validateCreate: validateLimitRange,
  validateUpdate: validateLimitRange,
};
