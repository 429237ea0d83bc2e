import { sleep } from './clock.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

/** One thing to end; steps end in the reverse order of their start. */
interface ShutdownStep {
  readonly name: string;
  readonly run: () => Promise<void> | void;
}

/** Ends a program in order: what started last ends first, each step within a bounded time, whether the ones before it failed or not. */
export class Shutdown {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #stepTimeoutMillis: number;
  readonly #controller = new AbortController();
  #steps: ShutdownStep[] = [];
  #ending: Promise<boolean> | undefined;

  constructor(options: { readonly logger: Logger; readonly clock: Clock; readonly stepTimeoutMillis?: number }) {
    this.#logger = options.logger;
    this.#clock = options.clock;
    this.#stepTimeoutMillis = options.stepTimeoutMillis ?? 15_000;
  }

  /** Aborts as soon as the program begins to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Registers what must be ended. */
  add(name: string, run: () => Promise<void> | void): void {
    this.#steps.push({ name, run });
  }

  /** Ends everything once; later calls wait for the same end. Resolves to whether every step succeeded in time. */
  end(): Promise<boolean> {
    this.#ending ??= this.#runSteps();
    return this.#ending;
  }

  async #runSteps(): Promise<boolean> {
    this.#controller.abort();
    let clean = true;
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      const done = new AbortController();
      try {
        const outcome = await Promise.race([
          Promise.resolve(step.run()).then(() => 'ended' as const),
          sleep(this.#clock, this.#stepTimeoutMillis, done.signal).then(() => 'late' as const),
        ]);
        if (outcome === 'late') {
          clean = false;
          this.#logger.error({ step: step.name }, 'a step of the shutdown did not end in time');
        }
      } catch (error) {
        clean = false;
        this.#logger.error({ step: step.name, err: error }, 'a step of the shutdown failed');
      } finally {
        done.abort();
      }
    }
    return clean;
  }
}

/** The signals that ask a program to end. */
const endingSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the program on SIGTERM and SIGINT: status 0 after a clean shutdown, 1 otherwise; a second signal ends it at once.
 * Returns a function that stops listening.
 */
export function endOnSignals(shutdown: Shutdown, exit: (code: number) => void): () => void {
  let asked = false;
  const listener = (): void => {
    if (asked) {
      exit(1);
      return;
    }
    asked = true;
    void shutdown.end().then((clean) => exit(clean ? 0 : 1));
  };
  for (const name of endingSignals) process.on(name, listener);
  return () => {
    for (const name of endingSignals) process.off(name, listener);
  };
}
