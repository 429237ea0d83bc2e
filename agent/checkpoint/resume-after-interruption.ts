import { sleep, type Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { ContainerRuntime } from '../cri/container-runtime.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';

const firstRetryMillis = 200;
const maxRetryMillis = 5_000;
const maxTries = 100;
/** A dump that goes on is waited for. */
const timeoutMillis = 300_000;

/** What it is done with. */
export interface ResumeOptions {
  readonly runtime: Pick<ContainerRuntime, 'resumeContainer'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Makes sure that a container goes on whose dump was cut off: a runtime pauses it for the dump, and may not resume it when the call ends from
 * this side or the runtime does. Tries again while the runtime is away. Never throws.
 */
export async function resumeAfterInterruption(containerId: string, options: ResumeOptions): Promise<void> {
  const { runtime, clock, logger, signal } = options;
  let delayMillis = firstRetryMillis;
  for (let tries = 0; tries < maxTries && !signal.aborted; tries += 1) {
    try {
      const wasPaused = await runtime.resumeContainer(containerId, { signal, timeoutMillis });
      if (wasPaused) logger.warn({ containerId }, 'container resumed that an interrupted checkpoint had left paused');
      return;
    } catch (err) {
      if (signal.aborted) return;
      logger.warn({ err, containerId }, 'container of an interrupted checkpoint could not be looked at');
      if (!(err instanceof RuntimeFailure) || err.code === 'Unimplemented') return;
    }
    await sleep(clock, delayMillis, signal);
    delayMillis = Math.min(delayMillis * 2, maxRetryMillis);
  }
}
