/** Which notation a quantity was written in, and is written back in. */
export type QuantityFormat = 'DecimalExponent' | 'BinarySI' | 'DecimalSI';

/** An exact number of resources: `unscaled` × 10^`scale`. Immutable. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text it was read from, where Kubernetes writes that back instead of the canonical form. */
  readonly text?: string;
}

/** Why a text is no quantity, in Kubernetes' wording. */
export interface QuantityFault {
  readonly fault: string;
}

const FORMAT_FAULT: QuantityFault = {
  fault: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
};
const NUMERIC_FAULT: QuantityFault = { fault: 'unable to parse numeric part of quantity' };
const SUFFIX_FAULT: QuantityFault = { fault: "unable to parse quantity's suffix" };

const SYNTAX = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const DECIMAL_SUFFIX_OF = new Map([...DECIMAL_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]));
const BINARY_SUFFIX_OF = new Map([...BINARY_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]));

const MAX_INT64 = 2n ** 63n - 1n;
const NANO = -9;
/** Numbers of more digits are refused: nobody has that much, and arithmetic on them would not end. */
const MAX_DECIMAL_EXPONENT = 1000;
const MAX_TEXT_LENGTH = 1000;

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function interpretSuffix(suffix: string): Suffix | undefined {
  const decimal = DECIMAL_SUFFIXES.get(suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' };
  const binary = BINARY_SUFFIXES.get(suffix);
  if (binary !== undefined) return { base: 2, exponent: binary, format: 'BinarySI' };
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) return undefined;
  const exponent = BigInt(suffix.slice(1).replace('+', ''));
  if (BigInt.asIntN(64, exponent) !== exponent) return undefined;
  return { base: 10, exponent: Number(BigInt.asIntN(32, exponent)), format: 'DecimalExponent' };
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Moves to a greater scale; what is cut off rounds away from zero. */
function coarsen(unscaled: bigint, from: number, to: number): bigint {
  const divisor = 10n ** BigInt(to - from);
  const quotient = unscaled / divisor;
  if (quotient * divisor === unscaled) return quotient;
  return unscaled < 0n ? quotient - 1n : quotient + 1n;
}

/** Whether Kubernetes writes the text back as it was read: numbers that its quick scanner takes for canonical. */
function keepsText(whole: string, fraction: string, suffix: Suffix, scale: number): boolean {
  const digits = whole + fraction;
  if (suffix.format === 'BinarySI') {
    const room = 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1;
    const product = BigInt(digits) << BigInt(suffix.exponent);
    return fraction === '' && room >= 0 && product <= MAX_INT64 && (BigInt(digits) & 7n) !== 0n;
  }
  return digits.length <= 18 && scale >= NANO && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

/**
 * Reads a quantity such as `100m`, `1.5Gi` or `12e6`; surrounding space is a fault here (a decoder strips it).
 * Below a nano-unit it rounds up, and binary quantities are capped at 2^63-1, as in Kubernetes.
 */
export function parseQuantity(text: string): Quantity | QuantityFault {
  if (text === '' || text.length > MAX_TEXT_LENGTH) return FORMAT_FAULT;
  const match = SYNTAX.exec(text);
  if (match === null) return FORMAT_FAULT;
  const [, sign = '', strippedWhole = '', fraction = '', suffixText = ''] = match;
  const suffix = interpretSuffix(suffixText);
  if (suffix === undefined) return SUFFIX_FAULT;
  const whole = strippedWhole === '' ? '0' : strippedWhole;
  const magnitude = BigInt(whole + fraction);
  if (magnitude === 0n) {
    const isQuick =
      suffix.base === 2 ? suffix.exponent < 50 && fraction === '' : suffix.exponent - fraction.length >= NANO;
    if (!isQuick && !/[0-9]/.test(text.slice(0, text.length - suffixText.length))) return NUMERIC_FAULT;
    return { unscaled: 0n, scale: 0, format: suffix.format };
  }
  let scale = (suffix.base === 10 ? suffix.exponent : 0) - fraction.length;
  if (scale > MAX_DECIMAL_EXPONENT) return NUMERIC_FAULT;
  const keptText = keepsText(whole, fraction, suffix, scale) ? { text } : {};
  let unscaled = suffix.base === 2 ? magnitude << BigInt(suffix.exponent) : magnitude;
  if (scale < NANO) {
    // So far below a nano-unit that the division need not be made.
    const vanishes = NANO - scale > unscaled.toString().length;
    unscaled = vanishes ? 1n : coarsen(unscaled, scale, NANO);
    scale = NANO;
  }
  let format = suffix.format;
  if (format === 'BinarySI') {
    if (unscaled > MAX_INT64 * 10n ** BigInt(-scale)) {
      unscaled = MAX_INT64;
      scale = 0;
    } else if (unscaled < 10n ** BigInt(-scale)) {
      format = 'DecimalSI';
    }
  }
  return { unscaled: sign === '-' ? -unscaled : unscaled, scale, format, ...keptText };
}

/** Tells a fault from a quantity. */
export function isQuantityFault(value: Quantity | QuantityFault): value is QuantityFault {
  return 'fault' in value;
}

/** Reads a quantity that has been validated before; throws RangeError on anything else. */
export function readQuantity(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (isQuantityFault(quantity)) throw new RangeError(`cannot parse '${text}': ${quantity.fault}`);
  return quantity;
}

function formatDecimal(quantity: Quantity, format: QuantityFormat): string {
  let { unscaled, scale } = quantity;
  while (unscaled % 10n === 0n) {
    unscaled /= 10n;
    scale += 1;
  }
  // A suffix beyond exa does not exist; Kubernetes would print another number.
  const exponent = format === 'DecimalSI' ? Math.min(18, Math.floor(scale / 3) * 3) : Math.floor(scale / 3) * 3;
  unscaled *= 10n ** BigInt(scale - exponent);
  scale = exponent;
  if (format === 'DecimalExponent') return scale === 0 ? String(unscaled) : `${unscaled}e${scale}`;
  return `${unscaled}${DECIMAL_SUFFIX_OF.get(scale) ?? `e${scale}`}`;
}

/** The text of a quantity as Kubernetes writes it: no fraction, the greatest suffix that loses nothing, its own notation. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return '0';
  if (quantity.format !== 'BinarySI') return formatDecimal(quantity, quantity.format);
  const whole = rescale(quantity, 0);
  if (whole === undefined || absolute(whole) < 1024n) return formatDecimal(quantity, 'DecimalSI');
  let amount = whole;
  let exponent = 0;
  while (exponent < 60 && amount % 1024n === 0n) {
    amount /= 1024n;
    exponent += 10;
  }
  return `${amount}${BINARY_SUFFIX_OF.get(exponent) ?? ''}`;
}

/** The integer that stands for the quantity at a scale, `undefined` when it would lose something. */
function rescale(quantity: Quantity, scale: number): bigint | undefined {
  if (quantity.scale >= scale) return quantity.unscaled * 10n ** BigInt(quantity.scale - scale);
  const divisor = 10n ** BigInt(scale - quantity.scale);
  return quantity.unscaled % divisor === 0n ? quantity.unscaled / divisor : undefined;
}

function align(a: Quantity, b: Quantity): [bigint, bigint, number] {
  const scale = Math.min(a.scale, b.scale);
  return [a.unscaled * 10n ** BigInt(a.scale - scale), b.unscaled * 10n ** BigInt(b.scale - scale), scale];
}

/** Exact sum, in the notation of `a` unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const [left, right, scale] = align(a, b);
  return { unscaled: left + right, scale, format: a.unscaled === 0n ? b.format : a.format };
}

/** Exact difference, in the notation of `a` unless that is zero; may be negative. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  const [left, right, scale] = align(a, b);
  return { unscaled: left - right, scale, format: a.unscaled === 0n ? b.format : a.format };
}

/** Orders by value, whatever the notations. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const [left, right] = a.scale === b.scale ? [a.unscaled, b.unscaled] : align(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Tells whether the value is zero. */
export function isZeroQuantity(quantity: Quantity): boolean {
  return quantity.unscaled === 0n;
}

/** -1, 0 or 1 as the value is negative, zero or positive. */
export function signOfQuantity(quantity: Quantity): -1 | 0 | 1 {
  return quantity.unscaled < 0n ? -1 : quantity.unscaled > 0n ? 1 : 0;
}

/** A whole number; `DecimalSI` unless told otherwise. Throws RangeError on a fraction. */
export function quantityFromInteger(n: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { unscaled: BigInt(n), scale: 0, format };
}

/** A number of thousandths; `DecimalSI` unless told otherwise. */
export function quantityFromMilli(n: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { unscaled: BigInt(n), scale: -3, format };
}

/** The quantity at a precision of 10^`scale`, rounded away from zero; itself when it is no finer. */
export function roundUpQuantity(quantity: Quantity, scale: number): Quantity {
  if (quantity.scale >= scale) return quantity;
  return { unscaled: coarsen(quantity.unscaled, quantity.scale, scale), scale, format: quantity.format };
}

/** Thousandths, rounded away from zero. */
export function quantityToMilli(quantity: Quantity): bigint {
  return rescale(roundUpQuantity(quantity, -3), -3) ?? 0n;
}

/** Whole units, rounded away from zero. */
export function quantityToInteger(quantity: Quantity): bigint {
  return rescale(roundUpQuantity(quantity, 0), 0) ?? 0n;
}
