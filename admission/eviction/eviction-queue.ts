import { EventLoopYield } from '../../platform/process/event-loop-yield.ts';
import {
  decideEvictions,
  type EvictionAnswer,
  type EvictionRequest,
  type EvictionServices,
} from './decide-evictions.ts';

/** What was decided; or that it could not be in time, and that it may be tried again. */
export type QueuedAnswer = EvictionAnswer | { readonly outcome: 'late' };

interface Waiter {
  readonly request: EvictionRequest;
  readonly isAbandoned: () => boolean;
  readonly resolve: (answer: QueuedAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** More than these in one swap would only hold up those that come after, and the event loop. */
const maxBatch = 50;

/** The evictions of a process: those that wait for one namespace are decided together, in the order they came. */
export class EvictionQueue {
  readonly #services: EvictionServices;
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(services: EvictionServices) {
    this.#services = services;
  }

  /**
   * Decides about an eviction and charges what it is granted for. Beyond `deadlineMillis`, milliseconds since the epoch, nobody waits for it
   * any more; a charge may be written all the same, and holds for whoever tries again. Throws when budgets or pods cannot be read or written.
   */
  decide(namespace: string, request: EvictionRequest, deadlineMillis = Infinity): Promise<QueuedAnswer> {
    const { clock } = this.#services;
    return new Promise((resolve, reject) => {
      let isAbandoned = false;
      const abandon = (): void => {
        isAbandoned = true;
        resolve({ outcome: 'late' });
      };
      const leftMillis = deadlineMillis - clock.now();
      const cancel = leftMillis === Infinity ? () => undefined : clock.schedule(Math.max(0, leftMillis), abandon);
      this.#enqueue(namespace, {
        request,
        isAbandoned: () => isAbandoned,
        resolve(answer) {
          cancel();
          resolve(answer);
        },
        reject(error) {
          cancel();
          reject(error);
        },
      });
    });
  }

  #enqueue(namespace: string, waiter: Waiter): void {
    const waiting = this.#waiting.get(namespace);
    if (waiting !== undefined) {
      waiting.push(waiter);
      return;
    }
    this.#waiting.set(namespace, [waiter]);
    void this.#serve(namespace);
  }

  async #serve(namespace: string): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(namespace) ?? [];
      const batch = waiting.splice(0, maxBatch).filter(({ isAbandoned }) => !isAbandoned());
      try {
        const requests = batch.map(({ request }) => request);
        const answers = batch.length === 0 ? [] : await decideEvictions(this.#services, namespace, requests);
        const slices = new EventLoopYield();
        for (const [i, waiter] of batch.entries()) {
          waiter.resolve(answers[i] ?? { outcome: 'late' });
          // Whoever waits may have much to say of what was refused.
          await slices.pause();
        }
      } catch (error) {
        for (const waiter of batch) waiter.reject(error);
      }
      if (waiting.length === 0) {
        this.#waiting.delete(namespace);
        return;
      }
    }
  }
}
