import { StatusError } from '../../core/errors/status.ts';
import { HostUnreachableError } from '../../platform/kube/host-unreachable-error.ts';
import { sleep } from '../../platform/process/clock.ts';
import type { Clock } from '../../platform/process/clock.ts';

const firstWaitMillis = 500;
const growth = 1.5;
const jitter = 0.2;
const maxAttempts = 5;
const reasons = new Set(['InternalError', 'Timeout', 'TooManyRequests']);

/** Whether the next attempt may go better: the API server is in trouble, or cut the connection. */
function isPassing(error: unknown): boolean {
  if (error instanceof StatusError) {
    return reasons.has(error.status.reason ?? '') || error.status.details?.retryAfterSeconds !== undefined;
  }
  if (!(error instanceof HostUnreachableError)) return false;
  return (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
}

/** Asks again, up to five times in four seconds, while what went wrong may pass; else rejects with it. */
export async function askPersistently<T>(clock: Clock, ask: () => Promise<T>): Promise<T> {
  let waitMillis = firstWaitMillis;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === maxAttempts || !isPassing(error)) throw error;
      await sleep(clock, waitMillis * (1 + Math.random() * jitter));
      waitMillis *= growth;
    }
  }
}
