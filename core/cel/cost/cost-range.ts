/** What a size or a cost is at least and at most; unsigned numbers of 64 bits, where the greatest one stands for more as well. */
export interface CostRange {
  readonly min: bigint;
  readonly max: bigint;
}

/** The greatest unsigned number of 64 bits. */
export const maxUint64 = 2n ** 64n - 1n;
const twoTo64 = 2 ** 64;

/** Nothing is known. */
export const unknownRange: CostRange = { min: 0n, max: maxUint64 };
/** Nothing at all. */
export const zeroRange: CostRange = { min: 0n, max: 0n };

/** A size or cost that is known. */
export function fixRange(value: bigint | number): CostRange {
  const exact = BigInt(value);
  return { min: exact, max: exact };
}

function saturate(value: bigint): bigint {
  return value > maxUint64 ? maxUint64 : value;
}

/** The product of two costs. */
export function multiplyCosts(left: bigint, right: bigint): bigint {
  return saturate(left * right);
}

/** The sum of two costs. */
export function addCosts(left: bigint, right: bigint): bigint {
  return saturate(left + right);
}

/** The sum of ranges, bound by bound. */
export function addRanges(...ranges: readonly CostRange[]): CostRange {
  return ranges.reduce(
    (sum, { min, max }) => ({ min: saturate(sum.min + min), max: saturate(sum.max + max) }),
    zeroRange,
  );
}

/** The product of two ranges, bound by bound. */
export function multiplyRanges(left: CostRange, right: CostRange): CostRange {
  return { min: saturate(left.min * right.min), max: saturate(left.max * right.max) };
}

function scale(value: bigint, factor: number): bigint {
  const scaled = Math.ceil(Number(value) * factor);
  return scaled >= twoTo64 ? maxUint64 : BigInt(scaled);
}

/** A range times a factor, rounded up. */
export function scaleRange({ min, max }: CostRange, factor: number): CostRange {
  return { min: scale(min, factor), max: scale(max, factor) };
}

/** The range that covers both. */
export function uniteRanges(left: CostRange, right: CostRange): CostRange {
  return {
    min: left.min < right.min ? left.min : right.min,
    max: left.max > right.max ? left.max : right.max,
  };
}
