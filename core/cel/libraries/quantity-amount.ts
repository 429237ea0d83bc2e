import { isQuantityFault, parseQuantity, type QuantityFault } from '../../quantity/quantity.ts';

/**
 * A quantity in the two forms that Kubernetes computes with: `value` × 10^`scale`, quick while it fits in 64 bits. Of one that is not quick
 * Kubernetes says it is no integer, whatever its value.
 */
export interface QuantityAmount {
  readonly value: bigint;
  readonly scale: number;
  readonly isQuick: boolean;
}

const syntax = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const quickDigits = 18;
const finestScale = -9;

function isWithinInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

/** The amount of a text that Kubernetes reads quickly; `undefined` for another, and for what is no quantity. */
function parseQuick(text: string): QuantityAmount | undefined {
  const match = text === '' ? null : syntax.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const digits = (whole === '' ? '0' : whole) + fraction;
  const binary = binaryExponents[suffix];
  if (binary !== undefined) {
    if (fraction !== '' || 15 - digits.length - Math.trunc((binary * 3) / 10) - 1 < 0) return undefined;
    const value = BigInt(digits) << BigInt(binary);
    return isWithinInt64(value) ? { value: sign === '-' ? -value : value, scale: 0, isQuick: true } : undefined;
  }
  const exponent = decimalExponents[suffix] ?? parseExponent(suffix);
  if (exponent === undefined || digits.length > quickDigits || exponent - fraction.length < finestScale)
    return undefined;
  const value = BigInt(digits);
  return { value: sign === '-' ? -value : value, scale: exponent - fraction.length, isQuick: true };
}

function parseExponent(suffix: string): number | undefined {
  return /^[eE][-+]?[0-9]{1,3}$/.test(suffix) ? Number(suffix.slice(1)) : undefined;
}

/** Reads a quantity. */
export function parseQuantityAmount(text: string): QuantityAmount | QuantityFault {
  const quick = parseQuick(text);
  if (quick !== undefined) return quick;
  const quantity = parseQuantity(text);
  if (isQuantityFault(quantity)) return quantity;
  const { unscaled, scale } = quantity;
  if (unscaled === 0n || scale < finestScale) return { value: unscaled, scale, isQuick: false };
  // Kubernetes writes what is not quick in billionths, which shows in the last digit of its approximate value.
  const isCapped = quantity.format === 'BinarySI' && scale === 0 && unscaled === (unscaled < 0n ? -maxInt64 : maxInt64);
  if (isCapped) return { value: unscaled, scale, isQuick: false };
  return { value: unscaled * 10n ** BigInt(scale - finestScale), scale: finestScale, isQuick: false };
}

const maxInt64 = 2n ** 63n - 1n;

function align(a: QuantityAmount, b: QuantityAmount): [left: bigint, right: bigint, scale: number] {
  const scale = Math.min(a.scale, b.scale);
  return [a.value * 10n ** BigInt(a.scale - scale), b.value * 10n ** BigInt(b.scale - scale), scale];
}

/** The exact sum. */
export function addAmounts(a: QuantityAmount, b: QuantityAmount): QuantityAmount {
  const areQuick = a.isQuick && b.isQuick;
  if (areQuick && b.value === 0n) return a;
  if (areQuick && a.value === 0n) return b;
  const [left, right, scale] = align(a, b);
  const value = left + right;
  const isQuick = areQuick && isWithinInt64(left) && isWithinInt64(right) && isWithinInt64(value);
  return { value, scale, isQuick };
}

/** The exact difference; but the least integer is added, as in Kubernetes, where its negative is itself. */
export function subtractAmounts(a: QuantityAmount, b: QuantityAmount): QuantityAmount {
  if (a.isQuick && b.isQuick && b.value === -maxInt64 - 1n) {
    const sum = addAmounts(a, b);
    if (sum.isQuick) return sum;
  }
  return addAmounts(a, { ...b, value: -b.value });
}

/** Orders by value. */
export function compareAmounts(a: QuantityAmount, b: QuantityAmount): -1 | 0 | 1 {
  const [left, right] = a.scale === b.scale ? [a.value, b.value] : align(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The integer that Kubernetes takes an amount for; `undefined`: none. */
export function toInt64({ value, scale, isQuick }: QuantityAmount): bigint | undefined {
  if (!isQuick || scale < 0) return undefined;
  const integer = value * 10n ** BigInt(scale);
  return isWithinInt64(integer) ? integer : undefined;
}

/** The nearest double, but for an error of the multiplication. */
export function toApproximateNumber({ value, scale }: QuantityAmount): number {
  return scale === 0 ? Number(value) : Number(value) * Number(`1e${scale}`);
}
