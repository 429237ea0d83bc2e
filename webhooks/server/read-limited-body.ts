import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../platform/process/clock.ts';

/** Two objects of the greatest size that a host takes, and what is around them. */
export const maxReviewBytes = 2 * 3 * 1024 * 1024 + 256 * 1024;
const defaultBudgetBytes = 64 * 1024 * 1024;

/** How many bytes of bodies may be held at once: whoever can reach the port can send them. */
export class BodyBudget {
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes = defaultBudgetBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Whether there was room for more; then it is taken until it is given back. */
  take(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.#maxBytes) return false;
    this.#heldBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

/** The body, whose bytes stay taken from the budget, or why there is none; then the rest of it is left unread. */
export type LimitedBody = Buffer | 'too large' | 'no room' | 'too late';

/** What a body may take. */
export interface BodyLimits {
  readonly budget: BodyBudget;
  readonly clock: Clock;
  /** Until when all of it must be there: a caller that stops in the middle must not keep room from others. */
  readonly allowedMillis: number;
}

/** Reads the whole body. Rejects when the caller breaks off. */
export function readLimitedBody(
  request: IncomingMessage,
  { budget, clock, allowedMillis }: BodyLimits,
): Promise<LimitedBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxReviewBytes) return Promise.resolve('too large');
  const chunks: Buffer[] = [];
  let size = 0;
  let cancel = (): void => undefined;
  const read = new Promise<LimitedBody>((resolve, reject) => {
    const stop = (): void => {
      request.removeAllListeners('data');
      request.pause();
      budget.give(size);
      size = 0;
    };
    cancel = clock.schedule(allowedMillis, () => {
      stop();
      resolve('too late');
    });
    request.on('data', (chunk: Buffer) => {
      if (size + chunk.length > maxReviewBytes) {
        stop();
        resolve('too large');
      } else if (!budget.take(chunk.length)) {
        stop();
        resolve('no room');
      } else {
        size += chunk.length;
        chunks.push(chunk);
      }
    });
    request.once('end', () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    });
    request.once('close', () => {
      if (request.complete) return;
      stop();
      reject(new Error('the caller broke off'));
    });
    // The close that follows tells.
    request.on('error', () => undefined);
  });
  return read.finally(() => cancel());
}
