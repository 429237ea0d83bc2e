import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { defaultCheckpointSettings } from './checkpoint-settings.ts';
import { readFreeFloor } from './read-free-floor.ts';

describe('readFreeFloor', async () => {
  const { blocks, bsize } = await statfs(tmpdir());
  const total = blocks * bsize;

  it.for([
    ['bytes, where they are more', { minimumFreeBytes: total, minimumFreeShare: 0.15 }, total],
    ['a share, where that is more', { minimumFreeBytes: 1, minimumFreeShare: 0.5 }, Math.ceil(total / 2)],
    ['nothing', { minimumFreeBytes: 0, minimumFreeShare: 0 }, 0],
  ] as const)('is %s', async ([, settings, floor]) => {
    expect(await readFreeFloor(tmpdir(), settings)).toBe(floor);
  });

  it('is by default above what a kubelet evicts pods for', async () => {
    const floor = await readFreeFloor(tmpdir(), defaultCheckpointSettings);
    expect(floor).toBeGreaterThanOrEqual(0.15 * total);
    expect(floor).toBeGreaterThanOrEqual(2 * 2 ** 30);
  });
});
