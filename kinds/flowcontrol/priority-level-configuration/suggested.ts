import type { PriorityLevelSpec } from './schema.ts';

function share(
  nominalConcurrencyShares: number,
  lendablePercent: number,
  queues: number,
  handSize: number,
): PriorityLevelSpec {
  const queuing = { queues, handSize, queueLengthLimit: 50 };
  return {
    type: 'Limited',
    limited: { nominalConcurrencyShares, lendablePercent, limitResponse: { type: 'Queue', queuing } },
  };
}

/** The priority levels that a server begins with, by name; people may change them. */
export const suggestedPriorityLevels: ReadonlyMap<string, PriorityLevelSpec> = new Map([
  ['system', share(30, 33, 64, 6)],
  ['node-high', share(40, 25, 64, 6)],
  ['leader-election', share(10, 0, 16, 4)],
  ['workload-high', share(40, 50, 128, 6)],
  ['workload-low', share(100, 90, 128, 6)],
  ['global-default', share(20, 50, 128, 6)],
]);
