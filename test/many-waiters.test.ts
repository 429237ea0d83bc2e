import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const COUNT = 100_000;
const MAX_BYTES = 100e6;
const MAX_PAUSE_MILLIS = 50;

it('lets 100,000 requests wait in 100 MB, forgets them without a trace and holds nobody up when they run out of time', () => {
  const program = new URL('./fair-queuing/measure-waiters.ts', import.meta.url).pathname;
  const flags = ['--expose-gc', '--max-semi-space-size=4', program, String(COUNT)];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  console.log(stdout.trim());
  const measured = JSON.parse(stdout) as {
    readonly waiting: number;
    readonly bytes: Readonly<Record<'heap' | 'resident', number>>;
    readonly left: Readonly<Record<'bytes' | 'waiting' | 'timers', number>>;
    readonly expired: Readonly<Record<'timedOut' | 'longestCpuMillis', number>>;
    readonly decided: Readonly<Record<string, number>>;
    readonly timers: number;
  };
  expect(measured.waiting).toBe(COUNT);
  expect(measured.bytes.heap).toBeLessThan(MAX_BYTES);
  expect(measured.bytes.resident).toBeLessThan(MAX_BYTES);
  expect(measured.left).toMatchObject({ waiting: 0, timers: 0 });
  expect(measured.left.bytes).toBeLessThan(1e6);
  // Those that were cancelled were told nothing.
  expect(measured.decided).toEqual({ 'time-out': COUNT });
  expect(measured.expired.timedOut).toBe(COUNT);
  expect(measured.expired.longestCpuMillis).toBeLessThan(MAX_PAUSE_MILLIS);
  expect(measured.timers).toBe(0);
});
