import { allocateConcurrency, type AllocationItem } from './allocate-concurrency.ts';
import type { ConcurrencyLimits } from './plan-concurrency-limits.ts';
import type { SeatDemand } from './seat-demand.ts';

/** A level when seats are lent and borrowed anew. */
export interface BorrowingLevel {
  readonly isExempt: boolean;
  readonly limits: ConcurrencyLimits;
  readonly demand: SeatDemand;
  /** What it has now; it keeps that when the seats cannot be divided. */
  readonly current: number;
}

/** What a level gets. */
export interface CurrentLimit {
  readonly current: number;
  /** The seats that it was meant to have; `undefined` for an exempt level. */
  readonly target: number | undefined;
}

/** What all get, in their order; `fault`: why they were not divided. */
export interface CurrentLimits {
  readonly levels: readonly CurrentLimit[];
  /** Proportion of their targets that those get who are at no bound; 0 where there is nothing beyond what is nobody's to borrow. */
  readonly fairFraction: number;
  readonly fault?: string;
}

function makeItem({ limits: { min, nominal, max }, demand }: BorrowingLevel): AllocationItem {
  const lowerBound = Math.max(min, Math.min(nominal, demand.highWatermark));
  return { lowerBound, upperBound: max, target: Math.max(lowerBound, demand.smoothed) };
}

/** How the limits of levels that share are found, once those that are exempt have what they want. */
function planShared(
  levels: readonly BorrowingLevel[],
  nominalSum: number,
  remaining: number,
): { readonly currents: readonly number[]; readonly fairFraction: number; readonly fault?: string } {
  const items = levels.map(makeItem);
  const minSum = levels.reduce((sum, { limits }) => sum + limits.min, 0);
  const lowerSum = items.reduce((sum, { lowerBound }) => sum + lowerBound, 0);
  if (remaining <= minSum) return { currents: levels.map(({ limits }) => limits.min), fairFraction: 0 };
  if (remaining <= lowerSum) {
    const fraction = (remaining - minSum) / (lowerSum - minSum);
    const currents = levels.map(
      ({ limits: { min } }, i) => min + Math.round(((items[i]?.lowerBound ?? min) - min) * fraction),
    );
    return { currents, fairFraction: 0 };
  }
  const allocation = allocateConcurrency(nominalSum, items);
  if (allocation.fault !== undefined) {
    return { currents: levels.map(({ current }) => current), fairFraction: 0, fault: allocation.fault };
  }
  return { currents: allocation.allocations.map(Math.round), fairFraction: allocation.fairProportion };
}

/**
 * Lends and borrows: the limits of all levels by their demand, in their order. Exempt levels take what they want, the others at least what
 * they wanted of their own, and the rest by what they are likely to want.
 */
export function planCurrentLimits(levels: readonly BorrowingLevel[]): CurrentLimits {
  const nominalSum = levels.reduce((sum, { limits }) => sum + limits.nominal, 0);
  const takeExempt = ({ limits, demand }: BorrowingLevel): number => Math.max(limits.min, demand.highWatermark);
  const shared = levels.filter(({ isExempt }) => !isExempt);
  const remaining = levels.reduce((rest, level) => (level.isExempt ? rest - takeExempt(level) : rest), nominalSum);
  const { currents, ...rest } = planShared(shared, nominalSum, remaining);
  let next = 0;
  return {
    ...rest,
    levels: levels.map((level) => {
      if (level.isExempt) return { current: takeExempt(level), target: undefined };
      const current = currents[next] ?? level.current;
      next += 1;
      return { current, target: makeItem(level).target };
    }),
  };
}
