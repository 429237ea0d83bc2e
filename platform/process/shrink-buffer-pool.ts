import { Buffer } from 'node:buffer';

const POOL_BYTES = 8 << 10;

/**
 * Has small buffers share blocks of 8 KiB. In Node's own blocks of 64 KiB they outlive the young generation: a block that lasts for fifty
 * milliseconds, or that one buffer is still read from, is garbage that only a full collection frees. Call it before much is allocated.
 */
export function shrinkBufferPool(): void {
  Buffer.poolSize = POOL_BYTES;
}
