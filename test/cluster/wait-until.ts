import { setTimeout as wait } from 'node:timers/promises';

/** Of a server that is not there, or is just going or coming. */
const noAnswerCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

function describeError(error: unknown): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return noAnswerCodes.has(code) ? `${code}: ${message}` : undefined;
}

/**
 * Reads ten times a second until `isThere` holds for what was read, and returns that. Throws after `timeoutMillis`, naming what was waited
 * for, how often it was looked for and what was read last; throws what `read` does, unless nobody answered it.
 */
export async function waitForValue<T>(
  what: string,
  read: () => Promise<T>,
  isThere: (value: T) => boolean,
  timeoutMillis = 120_000,
): Promise<T> {
  const startMillis = Date.now();
  for (let looks = 1; ; looks += 1) {
    let last: string | undefined;
    try {
      const value = await read();
      if (isThere(value)) return value;
      last = typeof value === 'string' ? value : JSON.stringify(value);
    } catch (error) {
      last = describeError(error);
      if (last === undefined) throw error;
    }
    const passedMillis = Date.now() - startMillis;
    if (passedMillis > timeoutMillis) {
      const seconds = Math.round(passedMillis / 1_000);
      throw new Error(`waited in vain for ${what}: ${looks} looks in ${seconds} s, the last: ${last?.slice(0, 4_000)}`);
    }
    await wait(100);
  }
}

/** Asks ten times a second until the answer is true; throws as `waitForValue` does. */
export async function waitUntil(what: string, probe: () => Promise<boolean>, timeoutMillis?: number): Promise<void> {
  await waitForValue(what, probe, (answer) => answer, timeoutMillis);
}
