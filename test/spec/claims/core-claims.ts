import type { Claim } from './claim.ts';

/** Of rows about fields of quotas and limit ranges. */
export const coreClaims: readonly Claim[] = [
  { rows: /^Resources and their fields\/ResourceQuota#1$/, part: 'a heading' },
  { rows: /^Resources and their fields\/ResourceQuota#9$/, part: 'a heading' },
  { rows: /^Resources and their fields\/ResourceQuota#2$/, tests: /\[ResourceQuota\.spec\.hard/ },
  { rows: /^Resources and their fields\/ResourceQuota#3$/, tests: /\[ResourceQuota\.spec\.scopes/ },
  { rows: /^Resources and their fields\/ResourceQuota#4$/, tests: /\[ResourceQuota\.spec\.scopeSelector/ },
  { rows: /^Resources and their fields\/ResourceQuota#5$/, tests: /\[ResourceQuota\.spec\.scopeSelector/ },
  {
    rows: /^Resources and their fields\/ResourceQuota#6$/,
    tests: /\[ResourceQuota\.spec\.scopeSelector\.matchExpressions\.operator/,
  },
  {
    rows: /^Resources and their fields\/ResourceQuota#7$/,
    tests: /\[ResourceQuota\.spec\.scopeSelector\.matchExpressions\.scopeName/,
  },
  {
    rows: /^Resources and their fields\/ResourceQuota#8$/,
    tests: /\[ResourceQuota\.spec\.scopeSelector\.matchExpressions\.values/,
  },
  { rows: /^Resources and their fields\/ResourceQuota#10$/, tests: /\[scope BestEffort\]/ },
  { rows: /^Resources and their fields\/ResourceQuota#11$/, tests: /\[scope NotBestEffort\]/ },
  { rows: /^Resources and their fields\/ResourceQuota#12$/, tests: /\[scope CrossNamespacePodAffinity\]/ },
  { rows: /^Resources and their fields\/ResourceQuota#13$/, tests: /\[scope NotTerminating\]/ },
  { rows: /^Resources and their fields\/ResourceQuota#14$/, tests: /\[scope Terminating\]/ },
  { rows: /^Resources and their fields\/ResourceQuota#15$/, tests: /\[scope PriorityClass\]/ },
  { rows: /^Resources and their fields\/ResourceQuota#16$/, tests: /\[scope VolumeAttributesClass\]/ },
  { rows: /^Resources and their fields\/ResourceQuota#17$/, tests: /\[ResourceQuota\.status/ },
  { rows: /^Resources and their fields\/LimitRange#1$/, tests: /\[LimitRange\.spec\.limits/ },
  { rows: /^Resources and their fields\/LimitRange#2$/, tests: /\[LimitRange\.spec\.limits\.type/ },
  { rows: /^Resources and their fields\/LimitRange#3$/, tests: /\[LimitRange\.(spec\.limits\.)?default\./ },
  { rows: /^Resources and their fields\/LimitRange#4$/, tests: /\[LimitRange\.(spec\.limits\.)?defaultRequest/ },
  { rows: /^Resources and their fields\/LimitRange#5$/, tests: /\[LimitRange\.spec\.limits\.(max|resource)/ },
  { rows: /^Resources and their fields\/LimitRange#6$/, tests: /\[LimitRange\.spec\.limits\.min/ },
  { rows: /^Resources and their fields\/LimitRange#7$/, tests: /\[LimitRange\.spec\.limits\.maxLimitRequestRatio/ },
  { rows: /^Resources and their fields\/LimitRange#8$/, tests: /\[Endpoints\/LimitRange#/ },
];
