import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MAX_GROWTH_BYTES = 50e6;

it('grows by at most 50 MB over 10,000 updates of 10 kB, with 200 idle watches and one that stopped reading', () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-memory-'));
  try {
    const program = new URL('./measure-memory.ts', import.meta.url).pathname;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--expose-gc', '--max-semi-space-size=4', program, join(folder, 'state.db')],
      {
        encoding: 'utf8',
      },
    );
    expect(status, stderr).toBe(0);
    const result = JSON.parse(stdout) as { heapGrowthBytes: number; residentGrowthBytes: number; missed: number };
    expect(result.missed).toBe(10_000);
    expect(result.heapGrowthBytes).toBeLessThan(MAX_GROWTH_BYTES);
    expect(result.residentGrowthBytes).toBeLessThan(MAX_GROWTH_BYTES);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
