import { setImmediate as settle } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { HealthCheck } from '../../platform/process/health-check.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { startWatchdog, type WatchdogOptions } from './watchdog.ts';

function watch(given: Partial<WatchdogOptions> = {}) {
  const clock = new ManualClock();
  const startMillis = clock.now();
  const told: number[] = [];
  const failures: boolean[] = [];
  const notifier = {
    isEnabled: true,
    ready: async () => undefined,
    stopping: async () => undefined,
    watchdog: async () => {
      told.push(clock.now() - startMillis);
      return failures.shift() ?? true;
    },
  };
  const watchdog = startWatchdog({
    environment: { WATCHDOG_USEC: '15000000' },
    processId: process.pid,
    isEnabled: true,
    checks: [],
    clock,
    logger: createSilentLogger(),
    ...given,
    notifier: { ...notifier, ...given.notifier },
  });
  const pass = async (millis: number): Promise<void> => {
    const endMillis = clock.now() + millis;
    while (clock.now() < endMillis) {
      for (let i = 0; i < 5; i += 1) await settle();
      clock.advance(Math.min(500, endMillis - clock.now()));
    }
    for (let i = 0; i < 5; i += 1) await settle();
  };
  return { watchdog, told, failures, pass };
}

describe('a watchdog', () => {
  it('is told at once, and then at half of its time [Limits#16]', async () => {
    const { watchdog, told, pass } = watch();
    await pass(30_000);
    expect(told).toEqual([0, 7_500, 15_000, 22_500, 30_000]);
    await watchdog?.stop();
    await pass(30_000);
    expect(told).toHaveLength(5);
  });

  it('is told nothing while the agent is not well', async () => {
    let trouble: string | undefined;
    const checks: HealthCheck[] = [{ name: 'runtime', check: async () => trouble }];
    const { watchdog, told, pass } = watch({ checks });
    await pass(7_500);
    trouble = 'it hangs';
    await pass(15_000);
    expect(told).toEqual([0, 7_500]);
    trouble = undefined;
    await pass(7_500);
    expect(told).toEqual([0, 7_500, 30_000]);
    await watchdog?.stop();
  });

  it('is told again soon when that did not succeed', async () => {
    const { watchdog, told, failures, pass } = watch();
    failures.push(false, false, true);
    await pass(7_500);
    expect(told).toEqual([0, 1_000, 3_000, 7_500]);
    await watchdog?.stop();
  });

  it.for([
    ['unset', { environment: {} }],
    ['turned off by its feature gate [Versioning#13]', { isEnabled: false }],
  ] as const)('that is %s is told nothing', async ([, given]) => {
    const { watchdog, told, pass } = watch(given);
    expect(watchdog).toBeUndefined();
    await pass(30_000);
    expect(told).toEqual([]);
  });

  it('that cannot be kept quiet keeps the agent from starting', () => {
    expect(() => watch({ environment: { WATCHDOG_USEC: '500000' } })).toThrow(
      'create health checker: configure watchdog timeout too small: 500ms',
    );
  });
});
