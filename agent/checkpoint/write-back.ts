import { open, watch } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

import { sleep, type Clock } from '../../platform/process/clock.ts';

const pauseMillis = 20;

/** Resolves when there is a file; `false` when `signal` aborts before, or nothing tells of files. */
async function waitForFile(file: string, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const { filename } of watch(dirname(file), { signal })) if (filename === basename(file)) return true;
  } catch {
    // Aborted, or there are no more watches to be had.
  }
  return false;
}

/**
 * Brings a file to disk while somebody else writes it, so that little is left to wait for when it is complete. Ends when `signal` aborts; what
 * goes wrong is left to who needs the file.
 */
export async function writeBack(file: string, clock: Clock, signal: AbortSignal): Promise<void> {
  if (!(await waitForFile(file, signal))) return;
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return;
  try {
    while (!signal.aborted) {
      await handle.datasync();
      await sleep(clock, pauseMillis, signal);
    }
  } catch {
    // Sealing the archive tells.
  } finally {
    await handle.close();
  }
}
