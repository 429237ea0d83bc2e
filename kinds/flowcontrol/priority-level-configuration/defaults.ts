import type { PriorityLevelConfiguration } from './schema.ts';

const DEFAULT_NOMINAL_SHARES = 30;
const DEFAULT_QUEUES = 64;
const DEFAULT_HAND_SIZE = 8;
const DEFAULT_QUEUE_LENGTH = 50;

/**
 * Shares are 30 in limited and 0 in exempt, lendablePercent is 0; of the queuing, absent or 0 means 64 queues, hands of 8
 * and queues of 50. In place.
 */
export function applyPriorityLevelDefaults({ spec }: PriorityLevelConfiguration): void {
  const { limited, exempt } = spec;
  if (exempt !== undefined) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
  if (limited !== undefined) {
    limited.nominalConcurrencyShares ??= DEFAULT_NOMINAL_SHARES;
    limited.lendablePercent ??= 0;
    const { queuing } = limited.limitResponse;
    if (queuing !== undefined) {
      queuing.queues ||= DEFAULT_QUEUES;
      queuing.handSize ||= DEFAULT_HAND_SIZE;
      queuing.queueLengthLimit ||= DEFAULT_QUEUE_LENGTH;
    }
  }
}
