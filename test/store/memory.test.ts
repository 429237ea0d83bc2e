import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { runProgram } from '../cluster/run-program.ts';

const MAX_GROWTH_BYTES = 50e6;

it('grows by at most 50 MB over 10,000 updates of 10 kB, with 200 idle watches and one that stopped reading', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-memory-'));
  try {
    const program = new URL('./measure-memory.ts', import.meta.url).pathname;
    const flags = ['--expose-gc', '--max-semi-space-size=4'];
    const printed = await runProgram(process.execPath, [...flags, program, join(folder, 'state.db')]);
    const result = JSON.parse(printed) as { heapGrowthBytes: number; residentGrowthBytes: number; missed: number };
    expect(result.missed).toBe(10_000);
    expect(result.heapGrowthBytes).toBeLessThan(MAX_GROWTH_BYTES);
    expect(result.residentGrowthBytes).toBeLessThan(MAX_GROWTH_BYTES);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
