import type { Clock } from '../../platform/process/clock.ts';
import type { CheckpointFailure, CheckpointProgress } from './checkpoint-record.ts';

/** Why a request was given up. */
export interface GivenUp {
  readonly failure: CheckpointFailure;
  readonly cause: string;
}

/** What a request is doing, for the one who reads that its time is up. */
export type RequestPhase = CheckpointProgress['phase'] | 'Finding';

const phaseTexts: Readonly<Record<RequestPhase, string>> = {
  Finding: 'while the container was looked up',
  Waiting: 'while waiting for other checkpoints',
  Dumping: "while the container runtime saved the container's state",
  Storing: 'while the archive was written',
};

/** The time and the conditions under which a request goes on. Once given up, it stays so. */
export class RequestBounds {
  readonly #ends = new AbortController();
  readonly #release: () => void;
  phase: RequestPhase = 'Finding';

  constructor(options: { readonly clock: Clock; readonly timeoutMillis: number; readonly signal: AbortSignal }) {
    const { clock, timeoutMillis, signal } = options;
    const cancelTimer = clock.schedule(timeoutMillis, () => {
      this.giveUp('Timeout', `timeout of ${timeoutMillis / 1000}s exceeded ${phaseTexts[this.phase]}`);
    });
    const leave = (): void => this.giveUp('Canceled', 'the request was canceled');
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    this.#release = () => {
      cancelTimer();
      signal.removeEventListener('abort', leave);
    };
  }

  /** Aborts when the request is given up. */
  get signal(): AbortSignal {
    return this.#ends.signal;
  }

  /** Why it was given up; `undefined` while it goes on. */
  get givenUp(): GivenUp | undefined {
    return this.#ends.signal.aborted ? (this.#ends.signal.reason as GivenUp) : undefined;
  }

  giveUp(failure: CheckpointFailure, cause: string): void {
    if (!this.#ends.signal.aborted) this.#ends.abort({ failure, cause } satisfies GivenUp);
  }

  /** What `work` comes to, or `undefined` as soon as the request is given up; the work then goes on for nobody. */
  async race<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this;
    if (signal.aborted) return undefined;
    return new Promise((resolve, reject) => {
      const stop = (): void => resolve(undefined);
      signal.addEventListener('abort', stop, { once: true });
      const end = (): void => signal.removeEventListener('abort', stop);
      work.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  /** To be called when the request is answered. */
  release(): void {
    this.#release();
  }
}
