import { NamespaceBatches } from '../namespace-batches.ts';
import {
  decideEvictions,
  type EvictionAnswer,
  type EvictionRequest,
  type EvictionServices,
} from './decide-evictions.ts';

/** What was decided; or that it could not be in time, and that it may be tried again. */
export type QueuedAnswer = EvictionAnswer | { readonly outcome: 'late' };

const maxBatch = 50;

/** The evictions of a process: those that wait for one namespace are decided together, in the order they came. */
export class EvictionQueue {
  readonly #services: EvictionServices;
  readonly #batches: NamespaceBatches<EvictionRequest, QueuedAnswer>;

  constructor(services: EvictionServices) {
    this.#services = services;
    this.#batches = new NamespaceBatches<EvictionRequest, QueuedAnswer>({
      ...{ clock: services.clock, maxBatch, late: { outcome: 'late' } },
      decide(namespace, batch) {
        return decideEvictions(
          services,
          namespace,
          batch.map(({ request }) => request),
        );
      },
    });
  }

  /**
   * Decides about an eviction and charges what it is granted for. Beyond `deadlineMillis`, milliseconds since the epoch, nobody waits for it
   * any more; a charge may be written all the same, and holds for whoever tries again. Throws when budgets or pods cannot be read or written.
   */
  decide(namespace: string, request: EvictionRequest, deadlineMillis = Infinity): Promise<QueuedAnswer> {
    return this.#batches.ask(namespace, request, deadlineMillis - this.#services.clock.now());
  }
}
