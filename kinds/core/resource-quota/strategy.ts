import { deepClone } from '../../../core/meta/deep.ts';
import type { KindStrategy } from '../../kind-definition.ts';
import { applyResourceQuotaDefaults } from './defaults.ts';
import type { ResourceQuota } from './schema.ts';
import { validateResourceQuota, validateResourceQuotaStatus, validateResourceQuotaUpdate } from './validate.ts';

/** How quotas are written: the status belongs to the server. */
export const resourceQuotaStrategy: KindStrategy<ResourceQuota> = {
  resetFields: [['status']],
  applyDefaults: applyResourceQuotaDefaults,
  prepareForCreate(quota) {
    quota.status = {};
  },
  prepareForUpdate(quota, old) {
    quota.status = deepClone(old.status);
  },
  validateCreate: validateResourceQuota,
  validateUpdate: validateResourceQuotaUpdate,
  status: {
    resetFields: [['spec']],
    prepareForUpdate(quota, old) {
      quota.spec = deepClone(old.spec);
    },
    validateUpdate: validateResourceQuotaStatus,
  },
};
