import type { LeaderElection } from '../../platform/kube/leader-election.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { sleep } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Controller } from '../controllers/controller-parts.ts';

export interface LeadOptions {
  readonly election: LeaderElection;
  /** New controllers for a term, in the order in which they start; they are closed in the reverse one. */
  readonly buildControllers: () => readonly Controller[];
  readonly clock: Clock;
  readonly logger: Logger;
}

const RETRY_MILLIS = 2_000;

async function runControllers({ buildControllers, logger }: LeadOptions, signal: AbortSignal): Promise<void> {
  const controllers = buildControllers();
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  // All at once: one that waits for a kind that is not there yet must not keep the others from their work.
  const starts = controllers.map((controller) =>
    controller.start().catch((error: unknown) => {
      if (!signal.aborted) logger.error({ err: error }, 'a controller could not start');
    }),
  );
  await ended;
  for (const controller of controllers.toReversed()) {
    await controller
      .close()
      .catch((error: unknown) => logger.error({ err: error }, 'a controller could not be closed'));
  }
  await Promise.all(starts);
}

/** Runs the controllers for as long as this process leads, again and again. Returns what ends it, and gives the leadership back. */
export function leadControllers(options: LeadOptions): () => Promise<void> {
  const { election, clock, logger } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const running = (async () => {
    while (!signal.aborted) {
      try {
        await election.run({ onStarted: (term) => runControllers(options, term), signal });
      } catch (error) {
        logger.error({ err: error }, 'the work of the leader failed, trying again');
      }
      await sleep(clock, RETRY_MILLIS, signal);
    }
  })();
  return async () => {
    ending.abort();
    await running;
  };
}
