/** Time as a program sees it. Everything that waits or compares times takes one, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment that pass whatever the clock is set to; as `now` where it is absent. */
  elapsed?(): number;
  /** Calls `callback` once, `delayMillis` from now; the returned function cancels it. Does not keep the process alive. */
  schedule(delayMillis: number, callback: () => void): () => void;
}

/** Milliseconds to compare with others of the same clock, which pass whatever the clock is set to where it can tell. */
export function readElapsed(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now();
}

/** The longest delay that Node's timers take; they fire at once when given more. */
const maxTimerMillis = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  schedule(delayMillis, callback) {
    let timer: NodeJS.Timeout;
    const arm = (leftMillis: number): void => {
      const stepMillis = Math.min(leftMillis, maxTimerMillis);
      timer = setTimeout(() => (leftMillis > stepMillis ? arm(leftMillis - stepMillis) : callback()), stepMillis);
      timer.unref();
    };
    arm(delayMillis);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMillis` of `clock`, or as soon as `signal` aborts; never rejects. */
export async function sleep(clock: Clock, delayMillis: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const cancel = clock.schedule(delayMillis, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    const stop = (): void => {
      cancel();
      resolve();
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
