const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;
const minSafe = BigInt(Number.MIN_SAFE_INTEGER);
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** The one form that an int has: a number within ±(2^53-1), a bigint beyond. */
export function toCanonicalInt(value: bigint): number | bigint {
  return value >= minSafe && value <= maxSafe ? Number(value) : value;
}

/** Whether a value is an int. */
export function isInt(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Whether a number fits into a signed integer of 64 bits. */
export function isWithinInt(value: bigint): boolean {
  return value >= minInt && value <= maxInt;
}

/** Whether a number fits into an unsigned integer of 64 bits. */
export function isWithinUint(value: bigint): boolean {
  return value >= 0n && value <= maxUint;
}

/** The double nearest to an int, as cel-go converts one. */
export function toNumber(value: number | bigint): number {
  return typeof value === 'number' ? value : Number(value);
}
