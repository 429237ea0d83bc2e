import type { PriorityLevelSpec } from './schema.ts';

/** The priority levels that every server has, by name. Their specs are fixed, but for the lending of `exempt`. */
export const mandatoryPriorityLevels: ReadonlyMap<string, PriorityLevelSpec> = new Map<string, PriorityLevelSpec>([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [
    'catch-all',
    {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
    },
  ],
]);
