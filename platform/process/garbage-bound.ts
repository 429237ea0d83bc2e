import { getHeapStatistics } from 'node:v8';

import { GarbageWatch } from './garbage-watch.ts';

const CHECK_INTERVAL_MILLIS = 100;
/** What V8 lets memory outside of its heap grow by before it looks for garbage. */
const V8_ALLOWANCE_BYTES = 64 << 20;

/**
 * Keeps garbage outside of V8's heap (the memory of buffers) below about `maxBytes`, four times that where it is made all the time, or below
 * a quarter of what is in use when that is more. V8 by itself lets 64 MiB of it pile up once buffers have lived for a while, as stored
 * objects have. Returns a function that ends it.
 */
export function boundBufferGarbage(maxBytes: number): () => void {
  const watch = new GarbageWatch(maxBytes);
  const timer = setInterval(() => {
    const allocated = getHeapStatistics().external_memory;
    // The collection is over once the buffer that asked for it is gone too.
    if (watch.check(allocated)) watch.await(allocated + requestCollection() / 2);
  }, CHECK_INTERVAL_MILLIS).unref();
  return () => clearInterval(timer);
}

/**
 * Makes V8 begin a collection as it does by itself, in small steps and beside the program; `global.gc` would stop the program for all of it.
 * A buffer that uses up V8's allowance does that. Nobody touches the buffer's pages, so it never takes any memory. Returns its size.
 */
function requestCollection(): number {
  try {
    return new ArrayBuffer(V8_ALLOWANCE_BYTES).byteLength;
  } catch {
    // Without so much address space, V8 collects when it has to.
    return 0;
  }
}
