import { describe, expect, it } from 'vitest';

import type { PodDisruptionBudget } from '../../../kinds/policy/pod-disruption-budget/schema.ts';
import { ManualClock } from '../../../platform/process/manual-clock.ts';
import { HeldBudgets } from './held-budgets.ts';

const subscribe = () => () => undefined;

function makeBudget(generation: number, observedGeneration: number, spec: object = { selector: {} }) {
  const metadata = { namespace: 'n', name: 'b', generation };
  return { metadata, spec, status: { observedGeneration } } as unknown as PodDisruptionBudget;
}

describe('HeldBudgets', () => {
  it.for([
    ['a new budget', 1, 0, { selector: {} }, false, 5_000],
    ['one that was counted', 1, 1, { selector: {} }, false, 0],
    ['one that was changed since', 2, 1, { selector: {} }, false, 5_000],
    ['one that selects nothing', 1, 0, {}, false, 0],
    ['a new one where budgets are asked', 1, 0, { selector: {} }, true, 0],
    ['one that was changed where budgets are asked', 2, 1, { selector: {} }, true, 0],
  ] as const)('%s', ([, generation, observed, spec, isInForce, waitMillis]) => {
    const held = new HeldBudgets({ isInForce: () => isInForce, subscribe }, new ManualClock());
    expect(held.measureWait('n/b', makeBudget(generation, observed, spec))).toBe(waitMillis);
  });

  it('waits five seconds for each change, and no longer', () => {
    const clock = new ManualClock();
    const held = new HeldBudgets({ isInForce: () => false, subscribe }, clock);
    expect(held.measureWait('n/b', makeBudget(1, 0))).toBe(5_000);
    clock.advance(4_000);
    expect(held.measureWait('n/b', makeBudget(1, 0))).toBe(1_000);
    clock.advance(1_000);
    expect(held.measureWait('n/b', makeBudget(1, 0))).toBe(0);
    expect(held.measureWait('n/b', makeBudget(2, 1))).toBe(5_000);
  });
});
