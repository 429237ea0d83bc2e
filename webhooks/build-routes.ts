import type { AdmissionPlugin } from '../admission/admission-plugin.ts';
import { LimitRangePlugin } from '../admission/limits/limit-range-plugin.ts';
import type { LimitRangeSource } from '../admission/limits/limit-range-source.ts';
import { OwnObjectsPlugin } from '../admission/objects/own-objects-plugin.ts';
import { PolicyCautionPlugin } from '../admission/registrations/policy-caution-plugin.ts';
import type { KindRegistry } from '../kinds/registry.ts';
import type { Clock } from '../platform/process/clock.ts';
import type { ReviewRoute } from './review/decide-review.ts';

/** What decides at the paths. */
export interface RoutesOptions {
  readonly registry: KindRegistry;
  readonly clock: Clock;
  readonly ranges: LimitRangeSource;
  /** Namespaces in which nothing is enforced. */
  readonly excluded: readonly string[];
  /** What keeps people from parameters of policies that they may not read. */
  readonly paramAccess: AdmissionPlugin;
  /** Those that charge quotas; their `validate` is called, once a review. */
  readonly quotaPlugins: readonly AdmissionPlugin[];
  /** What warns of budgets that never allow an eviction. */
  readonly impossibleBudgets: AdmissionPlugin;
  /** What asks and charges the budgets of pods that are evicted. */
  readonly evictions: AdmissionPlugin;
}

/** Every path that a host may be told to call. */
export function buildRoutes({
  registry,
  clock,
  ranges,
  excluded,
  paramAccess,
  quotaPlugins,
  impossibleBudgets,
  evictions,
}: RoutesOptions): ReviewRoute[] {
  const limits = [new LimitRangePlugin({ ranges })];
  const objects = [new OwnObjectsPlugin({ registry, clock })];
  const caution = new PolicyCautionPlugin({ domain: registry.domain, excluded });
  return [
    { path: '/mutate/limits', type: 'mutating', plugins: limits },
    { path: '/validate/limits', type: 'validating', plugins: limits, auditPreparation: limits },
    { path: '/validate/quota', type: 'validating', plugins: quotaPlugins, auditPreparation: limits },
    { path: '/validate/evictions', type: 'validating', plugins: [evictions] },
    { path: '/mutate/objects', type: 'mutating', plugins: objects, changesInAudit: true },
    { path: '/validate/objects', type: 'validating', plugins: [...objects, paramAccess, caution, impossibleBudgets] },
  ];
}
