import { expect, it } from 'vitest';

import { planDumpSpace, type Disk } from './plan-dump-space.ts';

it.for<[string, number, Disk, Disk | undefined, string | undefined]>([
  ['a small container', 10, { freeBytes: 140, device: 1 }, { freeBytes: 140, device: 1 }, undefined],
  [
    'four times its memory where all is on one disk',
    11,
    { freeBytes: 140, device: 1 },
    { freeBytes: 140, device: 1 },
    '140 bytes are free, 100 must stay free and the dump takes about 44',
  ],
  [
    'the same where the disk of the runtime cannot be seen',
    11,
    { freeBytes: 140, device: 1 },
    undefined,
    '140 bytes are free, 100 must stay free and the dump takes about 44',
  ],
  ['a disk of archives of their own', 11, { freeBytes: 101, device: 1 }, { freeBytes: 144, device: 2 }, undefined],
  [
    'a disk of the runtime of its own',
    11,
    { freeBytes: 900, device: 1 },
    { freeBytes: 143, device: 2 },
    '143 bytes are free, 100 must stay free and the dump takes about 44',
  ],
  [
    'a disk that is too full before',
    0,
    { freeBytes: 99, device: 1 },
    undefined,
    '99 bytes are free, 100 must stay free',
  ],
])('space for a dump is judged for %s', ([, memoryBytes, archives, runtime, fault]) => {
  expect(planDumpSpace({ memoryBytes, archives, runtime, minimumFreeBytes: 100 })).toBe(
    fault === undefined ? undefined : `not enough disk space for checkpoints: ${fault}`,
  );
});
