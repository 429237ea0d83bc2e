import { afterEach, describe, expect, it } from 'vitest';

import { buildLoad, type Load, makeBudget, makePod } from './testdata/build-load.ts';

const loads: Load[] = [];

afterEach(async () => {
  for (const { controller } of loads.splice(0)) await controller.close();
});

function build(...args: Parameters<typeof buildLoad>): Load {
  const load = buildLoad(...args);
  loads.push(load);
  return load;
}

/**
 * The most CPU time that one turn of the event loop takes while `run` runs, as a part of the CPU time of all turns: a machine that is busy or
 * slow takes longer for each of them.
 */
async function measureLongestTurn(run: () => Promise<void>): Promise<number> {
  const readMicros = (): number => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  const start = readMicros();
  let [longest, last, isOver] = [0, start, false];
  const look = (): void => {
    const now = readMicros();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await run();
  isOver = true;
  look();
  return longest / (last - start);
}

describe('DisruptionController under load', () => {
  it(
    'leaves the event loop to others while it counts a thousand budgets of the same pods',
    { timeout: 60_000 },
    async () => {
      const pods = Array.from({ length: 500 }, (_, i) => makePod(i));
      const budgets = Array.from({ length: 1_000 }, (_, i) =>
        makeBudget(i, {
          minAvailable: 1,
          selector: i % 2 === 0 ? {} : { matchExpressions: [{ key: `x${i}`, operator: 'DoesNotExist' }] },
        }),
      );
      const { controller, statuses, change } = build(pods, budgets);
      const isCounted = (healthy: number): boolean =>
        statuses.size === budgets.length && [...statuses.values()].every((status) => status.currentHealthy === healthy);
      const start = await measureLongestTurn(async () => {
        await controller.start();
        await expect.poll(() => isCounted(500), { interval: 100 }).toBe(true);
      });
      const further = await measureLongestTurn(async () => {
        change(makePod(0, { isReady: false, version: '2' }));
        await expect.poll(() => isCounted(499), { interval: 100 }).toBe(true);
      });
      // Without slices one turn takes nearly all of it, and with them a hundredth.
      expect(Math.max(start, further)).toBeLessThan(0.25);
    },
  );

  it('asks once for a controller that is not there, whatever number of pods and budgets would need it', async () => {
    const pods = Array.from({ length: 300 }, (_, i) => makePod(i));
    const budgets = Array.from({ length: 50 }, (_, i) => makeBudget(i, { maxUnavailable: 1, selector: {} }));
    const { controller, statuses, reads } = build(pods, budgets);
    await controller.start();
    await expect.poll(() => statuses.size).toBe(50);
    expect([...statuses.values()].every(({ disruptionsAllowed }) => disruptionsAllowed === 0)).toBe(true);
    expect(reads()).toBe(1);
  });

  it('allows nothing while the server refuses a status, and counts again', async () => {
    let isRefusing = true;
    const refuse = ({ disruptionsAllowed }: { readonly disruptionsAllowed: number }): Error | undefined =>
      isRefusing && disruptionsAllowed > 0 ? new Error('cannot unmarshal number') : undefined;
    const load = build([makePod(0), makePod(1)], [makeBudget(0, { minAvailable: 1, selector: {} })], refuse);
    await load.controller.start();
    await expect
      .poll(() => load.statuses.get('b0'))
      .toMatchObject({
        disruptionsAllowed: 0,
        conditions: [{ status: 'False', reason: 'SyncFailed', message: 'cannot unmarshal number' }],
      });
    isRefusing = false;
    await expect
      .poll(() => load.statuses.get('b0'))
      .toMatchObject({
        disruptionsAllowed: 1,
        conditions: [{ status: 'True', reason: 'SufficientPods' }],
      });
  });
});
