import { Counter } from 'prom-client';

import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { BudgetSource } from './budget-source.ts';
import { EvictionQueue } from './eviction-queue.ts';

/** What evictions need of the program. */
export interface EvictionsOptions {
  /** Reads pods and writes the statuses of budgets. */
  readonly client: ResourceClient;
  readonly budgets: BudgetSource;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Registry;
}

/** Puts together what decides about the evictions of a process. */
export function openEvictions({ client, budgets, clock, logger, metrics }: EvictionsOptions): EvictionQueue {
  const swaps = new Counter({
    ...{ name: 'bailiwick_eviction_charge_swaps_total', labelNames: ['result'], registers: [metrics] },
    help: 'Tries to store charges for evictions in the status of a budget; outrun ones are tried again on its newest state.',
  });
  const pods = new Counter({
    ...{ name: 'bailiwick_eviction_charges_total', registers: [metrics] },
    help: 'Pods for whose eviction a budget was charged.',
  });
  return new EvictionQueue({
    ...{ client, budgets, clock },
    random: Math.random,
    onSwap(outcome, charged) {
      swaps.inc({ result: outcome });
      if (outcome === 'stored') pods.inc(charged);
    },
    onFailure: (error) =>
      logger.warn({ err: error }, 'charges could not be taken back, they count until their time is over'),
  });
}
