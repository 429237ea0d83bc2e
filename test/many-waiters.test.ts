import { expect, it } from 'vitest';

import { runProgram } from './cluster/run-program.ts';

const COUNT = 100_000;
const MAX_BYTES = 100e6;
/** Ended in a millisecond or two. */
const MAX_AT_ONCE = 1000;
const MAX_TURN_MILLIS = 50;

it('lets 100,000 requests wait in 100 MB, forgets them without a trace and holds nobody up when they run out of time', async () => {
  const program = new URL('./fair-queuing/measure-waiters.ts', import.meta.url).pathname;
  const flags = ['--expose-gc', '--max-semi-space-size=4', program, String(COUNT)];
  const printed = await runProgram(process.execPath, flags);
  console.log(printed.trim());
  const measured = JSON.parse(printed) as {
    readonly waiting: number;
    readonly bytes: Readonly<Record<'heap' | 'resident', number>>;
    readonly left: Readonly<Record<'bytes' | 'waiting' | 'timers', number>>;
    readonly expired: Readonly<Record<'timedOut' | 'mostAtOnce' | 'longestTurnMillis', number>>;
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
  expect(measured.expired.mostAtOnce).toBeLessThanOrEqual(MAX_AT_ONCE);
  expect(measured.expired.longestTurnMillis).toBeLessThan(MAX_TURN_MILLIS);
  expect(measured.timers).toBe(0);
});
