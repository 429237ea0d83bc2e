import { describe, expect, it } from 'vitest';

import { EventLoopYield, TurnYield } from './event-loop-yield.ts';

function spendMillis(millis: number): void {
  for (const endMillis = performance.now() + millis; performance.now() < endMillis;);
}

describe('EventLoopYield', () => {
  it('lets one computation on at a turn, however many have given way', async () => {
    let steps = 0;
    const stepsOfTurns: number[] = [];
    const state = { isDone: false };
    const turn = (): void => {
      stepsOfTurns.push(steps);
      steps = 0;
      if (!state.isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const computations = Array.from({ length: 6 }, async () => {
      const slices = new EventLoopYield();
      for (let i = 0; i < 4; i += 1) {
        spendMillis(9);
        await slices.pause();
        steps += 1;
      }
    });
    await Promise.all(computations);
    state.isDone = true;
    expect(Math.max(...stepsOfTurns)).toBe(1);
  });
});

describe('TurnYield', () => {
  it('does not count the time in which works wait', async () => {
    const turns = new TurnYield();
    expect(turns.isDue()).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(turns.isDue()).toBe(false);
    spendMillis(9);
    expect(turns.isDue()).toBe(true);
    await turns.pause();
    expect(turns.isDue()).toBe(false);
  });
});
