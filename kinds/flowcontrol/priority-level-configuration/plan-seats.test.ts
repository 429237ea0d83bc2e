import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocateConcurrency, type AllocationItem } from './allocate-concurrency.ts';
import { planConcurrencyLimits, type ConcurrencyLimits } from './plan-concurrency-limits.ts';
import { planCurrentLimits } from './plan-current-limits.ts';
import type { LimitedPriorityLevel, PriorityLevelConfiguration } from './schema.ts';
import { noSeatDemand, updateSeatDemand } from './seat-demand.ts';

function makeLevel(
  limited: Omit<LimitedPriorityLevel, 'limitResponse'>,
  queues?: [number, number],
): PriorityLevelConfiguration {
  const limitResponse =
    queues === undefined
      ? { type: 'Reject' }
      : { type: 'Queue', queuing: { queues: queues[0], handSize: queues[1], queueLengthLimit: 5 } };
  return {
    apiVersion: 'flowcontrol.apiserver.example.org/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'l' },
    spec: { type: 'Limited', limited: { ...limited, limitResponse } },
    status: {},
  };
}

describe('planConcurrencyLimits', () => {
  it('divides by shares, rounded up', () => {
    const levels = [1, 1, 1, 0].map((nominalConcurrencyShares) => makeLevel({ nominalConcurrencyShares }));
    expect(planConcurrencyLimits(levels, 10).map(({ nominal }) => nominal)).toEqual([4, 4, 4, 0]);
  });

  it.for<[limited: object, expected: Partial<ConcurrencyLimits>]>([
    [{}, { nominal: 75, lendable: 0, borrowing: 100, min: 75, max: 175, initial: 75 }],
    [{ lendablePercent: 50 }, { lendable: 38, min: 37, initial: 56 }],
    [{ lendablePercent: 100 }, { lendable: 75, min: 0, initial: 38 }],
    [{ borrowingLimitPercent: 50 }, { borrowing: 38, max: 113 }],
    [{ borrowingLimitPercent: 1 }, { borrowing: 1, max: 76 }],
  ])('%j', ([limited, expected]) => {
    const levels = [
      makeLevel({ nominalConcurrencyShares: 30, ...limited }),
      makeLevel({ nominalConcurrencyShares: 10 }),
    ];
    expect(planConcurrencyLimits(levels, 100)[0]).toMatchObject(expected);
  });

  it.for<[total: number, queues: [number, number] | undefined, most: number | undefined]>([
    [600, undefined, undefined],
    [600, [64, 6], 90],
    [60, [64, 6], 9],
    [60, [64, 8], 7],
    [4, [64, 8], 1],
  ])('lets a request of a level with %d seats and queues %j take %j', ([total, queues, most]) => {
    const [limits] = planConcurrencyLimits([makeLevel({ nominalConcurrencyShares: 1 }, queues)], total);
    expect(limits?.maxSeatsPerRequest).toBe(most);
  });

  it('has nothing to divide where nobody has a share', () => {
    expect(planConcurrencyLimits([makeLevel({ nominalConcurrencyShares: 0 })], 10)[0]?.nominal).toBe(0);
  });
});

describe('updateSeatDemand', () => {
  it('follows a rise at once and a fall slowly', () => {
    const period = { durationMillis: 10_000, deviation: 0 };
    let demand = updateSeatDemand(noSeatDemand, { ...period, average: 100, max: 120 });
    expect(demand).toEqual({ average: 100, deviation: 0, highWatermark: 120, smoothed: 100 });
    for (let i = 0; i < 30; i += 1) demand = updateSeatDemand(demand, { ...period, average: 0, max: 0 });
    // Half of it is left after five minutes.
    expect(demand.smoothed).toBeGreaterThan(49);
    expect(demand.smoothed).toBeLessThan(51);
  });

  it('takes only the maximum of a period without length', () => {
    const known = { average: 1, deviation: 2, highWatermark: 3, smoothed: 4 };
    const observed = { durationMillis: 0, average: 9, deviation: 9, max: 7.4 };
    expect(updateSeatDemand(known, observed)).toEqual({ ...known, highWatermark: 7 });
  });

  it('takes a deviation that cannot be told for none', () => {
    const observed = { durationMillis: 1, average: 5, deviation: Number.NaN, max: 5 };
    expect(updateSeatDemand(noSeatDemand, observed)).toMatchObject({ deviation: 0, smoothed: 5 });
  });
});

describe('allocateConcurrency', () => {
  const item = fc
    .tuple(fc.nat(1_000), fc.nat(1_000), fc.nat(1_000))
    .map(([lowerBound, more, above]): AllocationItem => {
      return { lowerBound, target: lowerBound + more, upperBound: lowerBound + above };
    });
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

  it('gives all of the sum, within the bounds, and the same proportion to those at no bound', () => {
    const items = fc.array(item, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(items, fc.double({ min: 0, max: 1, noNaN: true }), (all, place) => {
        const low = sum(all.map(({ lowerBound }) => lowerBound));
        const high = sum(all.map(({ upperBound }) => upperBound));
        const wanted = low + Math.round((high - low) * place);
        const divided = allocateConcurrency(wanted, all);
        if (divided.fault !== undefined) throw new Error(divided.fault);
        const { allocations, fairProportion } = divided;
        expect(sum(allocations)).toBeCloseTo(wanted, 5);
        if (wanted === low || wanted === high) return;
        for (const [i, { lowerBound, upperBound, target }] of all.entries()) {
          const fair = fairProportion * Math.max(target, 0.001);
          expect(allocations[i]).toBeCloseTo(Math.max(lowerBound, Math.min(upperBound, fair)), 5);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.for<[sum: number, item: AllocationItem, fault: string]>([
    [-1, { lowerBound: 0, target: 1, upperBound: 1 }, 'negative sums are not supported'],
    [1, { lowerBound: -1, target: 1, upperBound: 1 }, 'negative lower bounds are not allowed'],
    [1, { lowerBound: 2, target: 1, upperBound: 3 }, 'which is below its lower bound of 2'],
    [1, { lowerBound: 1, target: 1, upperBound: 0 }, 'should not be less than the lower bound 1'],
    [0, { lowerBound: 1, target: 1, upperBound: 1 }, 'lower bounds sum to 1, which is higher'],
    [9, { lowerBound: 1, target: 1, upperBound: 3 }, 'upper bounds sum to 3, which is lower'],
  ])('cannot give %d to %j', ([wanted, one, fault]) => {
    expect(allocateConcurrency(wanted, [one]).fault).toContain(fault);
  });

  it('gives nothing where there is nothing', () => {
    const items = [{ lowerBound: 0, target: 5, upperBound: 9 }];
    expect(allocateConcurrency(0, items)).toEqual({ allocations: [0], fairProportion: 0 });
  });
});

describe('planCurrentLimits', () => {
  const limits = (nominal: number, min: number, max: number): ConcurrencyLimits => ({
    ...{ nominal, min, max, lendable: nominal - min, borrowing: max - nominal },
    ...{ initial: nominal, maxSeatsPerRequest: undefined },
  });
  const wants = (highWatermark: number, smoothed = highWatermark) => ({ ...noSeatDemand, highWatermark, smoothed });
  const level = (one: ConcurrencyLimits, demand = noSeatDemand, isExempt = false) => {
    return { isExempt, limits: one, demand, current: one.nominal };
  };
  const currents = (...levels: Parameters<typeof planCurrentLimits>[0]): number[] =>
    planCurrentLimits(levels).levels.map(({ current }) => current);

  it('lends what one does not want to another that does', () => {
    expect(currents(level(limits(50, 10, 100)), level(limits(50, 10, 100), wants(90)))).toEqual([10, 90]);
  });

  it('gives back at once what its owner wants', () => {
    expect(currents(level(limits(50, 10, 100), wants(50)), level(limits(50, 10, 100), wants(90)))).toEqual([50, 50]);
  });

  it('keeps borrowing within its bound', () => {
    expect(currents(level(limits(50, 10, 100)), level(limits(50, 10, 60), wants(90)))).toEqual([40, 60]);
  });

  it('gives exempt levels what they want, at the cost of the others down to what they do not lend', () => {
    const exempt = level(limits(0, 0, 0), wants(70), true);
    expect(currents(exempt, level(limits(50, 10, 100), wants(50)), level(limits(50, 20, 100), wants(50)))).toEqual([
      70, 10, 20,
    ]);
  });

  it('divides what is between those bounds in proportion', () => {
    const exempt = level(limits(0, 0, 0), wants(40), true);
    const planned = planCurrentLimits([
      exempt,
      level(limits(50, 10, 100), wants(50)),
      level(limits(50, 10, 100), wants(30)),
    ]);
    expect(planned).toMatchObject({ fairFraction: 0 });
    expect(planned.levels.map(({ current }) => current)).toEqual([40, 37, 23]);
  });

  it('leaves all as it is when the seats cannot be divided', () => {
    const planned = planCurrentLimits([level(limits(50, 10, 20)), level(limits(50, 10, 20))]);
    expect(planned.fault).toContain('upper bounds sum to 40');
    expect(planned.levels.map(({ current }) => current)).toEqual([50, 50]);
  });
});
