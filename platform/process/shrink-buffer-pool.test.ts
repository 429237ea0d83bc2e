import { expect, it } from 'vitest';
import { shrinkBufferPool } from './shrink-buffer-pool.ts';

it('has small buffers share blocks of 8 KiB, however small they are', () => {
  const before = Buffer.poolSize;
  try {
    shrinkBufferPool();
    // What is left of the block from before is used up first.
    while (Buffer.allocUnsafe(1000).buffer.byteLength === before);
    const blocks = Array.from({ length: 100 }, () => Buffer.from('x'.repeat(1000)).buffer.byteLength);
    expect(new Set(blocks)).toEqual(new Set([8 << 10]));
  } finally {
    Buffer.poolSize = before;
  }
});
