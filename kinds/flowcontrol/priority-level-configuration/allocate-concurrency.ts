/** One of those among whom a sum is divided: `target >= lowerBound >= 0`, `upperBound >= lowerBound`. */
export interface AllocationItem {
  /** In proportion to this, where the bounds allow; what is smaller than 0.001 counts as that. */
  readonly target: number;
  readonly lowerBound: number;
  readonly upperBound: number;
}

/** What each gets, and the proportion of their targets that those get who are at no bound. `fault`: why it cannot be done. */
export type Allocation =
  | { readonly allocations: readonly number[]; readonly fairProportion: number; readonly fault?: undefined }
  | { readonly fault: string };

const minTarget = 0.001;
const epsilon = 0.0000001;

interface RelativeItem {
  readonly target: number;
  readonly lower: number;
  readonly upper: number;
}

/** A proportion at which an item begins (`delta` is its target) or ceases (its target negated) to grow. */
interface Turn {
  readonly proportion: number;
  readonly delta: number;
  readonly isBeginning: boolean;
}

function findItemFault({ target, lowerBound, upperBound }: AllocationItem, index: number): string | undefined {
  if (lowerBound < 0) return `lower bound ${index} is ${lowerBound} but negative lower bounds are not allowed`;
  if (target < lowerBound) return `target ${index} is ${target}, which is below its lower bound of ${lowerBound}`;
  if (upperBound < lowerBound) {
    return `upper bound ${index} is ${upperBound} but should not be less than the lower bound ${lowerBound}`;
  }
  return undefined;
}

function makeRelative({ target, lowerBound, upperBound }: AllocationItem): RelativeItem {
  const divisor = Math.max(target, minTarget);
  return { target: divisor, lower: lowerBound / divisor, upper: upperBound / divisor };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** The proportion at which the items, each within its bounds, have the wanted sum; `undefined` when there is none. */
function findProportion(items: readonly RelativeItem[], wanted: number, lowSum: number): number | undefined {
  const turns = items
    .flatMap(({ target, lower, upper }): Turn[] => [
      { proportion: lower, delta: target, isBeginning: true },
      { proportion: upper, delta: -target, isBeginning: false },
    ])
    .toSorted((a, b) => a.proportion - b.proportion);
  let reached = lowSum;
  let proportion = turns[0]?.proportion ?? 0;
  let growth = 0;
  /** Counted besides, as a sum of targets that have come and gone need not be zero. */
  let growing = 0;
  let next = 0;
  while (reached < wanted) {
    for (let turn = turns[next]; turn !== undefined && turn.proportion <= proportion; turn = turns[next]) {
      growth += turn.delta;
      growing += turn.isBeginning ? 1 : -1;
      next += 1;
    }
    const bound = turns[next]?.proportion;
    if (bound === undefined) return undefined;
    if (growing > 0) {
      const solution = proportion + (wanted - reached) / growth;
      if (solution <= bound) return solution;
      reached += (bound - proportion) * growth;
    }
    proportion = bound;
  }
  return proportion;
}

/**
 * Divides a sum fairly: all get the same proportion of their targets, but for those whom a bound gives more or less. The answer is the only
 * one for which that is so.
 */
export function allocateConcurrency(requiredSum: number, items: readonly AllocationItem[]): Allocation {
  if (requiredSum < 0) return { fault: 'negative sums are not supported' };
  const fault = items.map(findItemFault).find((found) => found !== undefined);
  if (fault !== undefined) return { fault };
  const lowers = items.map(({ lowerBound }) => lowerBound);
  const uppers = items.map(({ upperBound }) => upperBound);
  const [lowSum, highSum] = [sum(lowers), sum(uppers)];
  if (lowSum - requiredSum > epsilon) {
    return { fault: `lower bounds sum to ${lowSum}, which is higher than the required sum of ${requiredSum}` };
  }
  if (requiredSum - highSum > epsilon) {
    return { fault: `upper bounds sum to ${highSum}, which is lower than the required sum of ${requiredSum}` };
  }
  if (requiredSum === 0) return { allocations: items.map(() => 0), fairProportion: 0 };
  const relative = items.map(makeRelative);
  if (lowSum - requiredSum > -epsilon) {
    return { allocations: lowers, fairProportion: Math.min(...relative.map(({ lower }) => lower)) };
  }
  if (requiredSum - highSum > -epsilon) {
    return { allocations: uppers, fairProportion: Math.max(...relative.map(({ upper }) => upper)) };
  }
  const fairProportion = findFairProportion(relative, requiredSum, lowSum);
  if (fairProportion === undefined) {
    return { fault: 'impossible: ran out of bounds to consider in bound-constrained problem' };
  }
  const allocations = items.map(({ lowerBound, upperBound }, i) =>
    Math.max(lowerBound, Math.min(upperBound, fairProportion * (relative[i]?.target ?? 0))),
  );
  return { allocations, fairProportion };
}

function findFairProportion(items: readonly RelativeItem[], wanted: number, lowSum: number): number | undefined {
  const unbound = wanted / sum(items.map(({ target }) => target));
  if (items.every(({ lower, upper }) => lower <= unbound && unbound <= upper)) return unbound;
  return findProportion(items, wanted, lowSum);
}
