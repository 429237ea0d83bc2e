import { roundResourceList } from '../resource-lists.ts';
import type { ResourceQuota } from './schema.ts';

/** Rounds every amount up to a thousandth, in place. */
export function applyResourceQuotaDefaults(quota: ResourceQuota): void {
  roundResourceList(quota.spec.hard);
  roundResourceList(quota.status.hard);
  roundResourceList(quota.status.used);
}
