import { getHeapStatistics } from 'node:v8';

/** What may pile up at least. */
const MAX_GARBAGE_BYTES = 2 << 20;
const CHECK_INTERVAL_MILLIS = 100;
/** A collection that has not ended by then is asked for again. */
const MAX_COLLECTION_CHECKS = 10;
/** What V8 lets memory outside of its heap grow by before it looks for garbage. */
const V8_ALLOWANCE_BYTES = 64 << 20;

/**
 * Keeps garbage outside of V8's heap (the memory of buffers) below about 2 MiB, or below a quarter of what is in use when that is more.
 * V8 by itself lets 64 MiB of it pile up once buffers have lived for a while, as stored objects have. Returns a function that ends it.
 */
export function boundBufferGarbage(): () => void {
  let inUse = Number.POSITIVE_INFINITY;
  let checksToWait = 0;
  let endedBelow = 0;
  const timer = setInterval(() => {
    const external = getHeapStatistics().external_memory;
    if (checksToWait > 0) {
      checksToWait -= 1;
      if (external >= endedBelow) return;
      checksToWait = 0;
      // What is left after a collection is in use.
      inUse = external;
      return;
    }
    inUse = Math.min(inUse, external);
    if (external - inUse <= Math.max(MAX_GARBAGE_BYTES, inUse / 4)) return;
    // The collection is over once the buffer that asked for it is gone too.
    endedBelow = external + requestCollection() / 2;
    checksToWait = MAX_COLLECTION_CHECKS;
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
