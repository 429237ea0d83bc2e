import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

const STALL_MILLIS = 30_000;

/**
 * Sends what remains of an answer as fast as its client takes it. A client that takes not even one chunk in so long is cut off: what is sent
 * to it may hold a place that others wait for. `signal` aborts when the answer is over.
 */
export async function sendChunks(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array | string>,
  signal: AbortSignal,
  stallMillis = STALL_MILLIS,
): Promise<void> {
  for await (const chunk of body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await waitForDrain(response, signal, stallMillis);
  }
  response.end();
}

async function waitForDrain(response: ServerResponse, signal: AbortSignal, stallMillis: number): Promise<void> {
  const timer = setTimeout(() => response.destroy(), stallMillis);
  try {
    await once(response, 'drain', { signal });
  } catch (error) {
    // The client has gone: what is sent on is thrown away until the source notices.
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}
