import type { Clock } from '../platform/process/clock.ts';
import { EventLoopYield } from '../platform/process/event-loop-yield.ts';

/** A request that waits to be decided. */
export interface WaitingRequest<Request> {
  readonly request: Request;
  /** Whether nobody waits for the answer any more. */
  isAbandoned(): boolean;
}

/** How requests of one namespace are decided together. */
export interface NamespaceBatchesOptions<Request, Answer> {
  readonly clock: Clock;
  /** More than these together would only hold up those that come after, and the event loop. */
  readonly maxBatch: number;
  /** Answers in the order of the requests, of which there is at least one; when it rejects, so does every one of them. */
  readonly decide: (namespace: string, batch: readonly WaitingRequest<Request>[]) => Promise<readonly Answer[]>;
  /** The answer to a request that was not decided in time. */
  readonly late: Answer;
}

interface Waiter<Request, Answer> extends WaitingRequest<Request> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** The requests of a process that must be decided one after the other in a namespace: those that wait are decided together, in the order they came. */
export class NamespaceBatches<Request, Answer> {
  readonly #options: NamespaceBatchesOptions<Request, Answer>;
  readonly #waiting = new Map<string, Waiter<Request, Answer>[]>();

  constructor(options: NamespaceBatchesOptions<Request, Answer>) {
    this.#options = options;
  }

  /** Resolves to what was decided. After `withinMillis` nobody waits for it any more; it may be decided all the same. */
  ask(namespace: string, request: Request, withinMillis = Infinity): Promise<Answer> {
    const { clock, late } = this.#options;
    return new Promise((resolve, reject) => {
      let isAbandoned = false;
      const abandon = (): void => {
        isAbandoned = true;
        resolve(late);
      };
      const cancel = withinMillis === Infinity ? () => {} : clock.schedule(Math.max(0, withinMillis), abandon);
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

  #enqueue(namespace: string, waiter: Waiter<Request, Answer>): void {
    const waiting = this.#waiting.get(namespace);
    if (waiting !== undefined) {
      waiting.push(waiter);
      return;
    }
    this.#waiting.set(namespace, [waiter]);
    void this.#serve(namespace);
  }

  async #serve(namespace: string): Promise<void> {
    const { maxBatch, decide, late } = this.#options;
    for (;;) {
      const waiting = this.#waiting.get(namespace) ?? [];
      const batch = waiting.splice(0, maxBatch).filter(({ isAbandoned }) => !isAbandoned());
      try {
        const answers = batch.length === 0 ? [] : await decide(namespace, batch);
        const slices = new EventLoopYield();
        for (const [i, waiter] of batch.entries()) {
          waiter.resolve(answers[i] ?? late);
          // Whoever waits may have much to do with the answer.
          if (slices.isDue()) await slices.pause();
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
