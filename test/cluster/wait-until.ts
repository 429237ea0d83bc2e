import { setTimeout as wait } from 'node:timers/promises';

/** Asks ten times a second until the answer is true; throws after `timeoutMillis`, naming what was waited for. */
export async function waitUntil(what: string, probe: () => Promise<boolean>, timeoutMillis = 120_000): Promise<void> {
  const deadline = Date.now() + timeoutMillis;
  while (!(await probe())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await wait(100);
  }
}
