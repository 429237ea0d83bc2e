/** A finite double as `mantissa` × 2^`exponent`, without its sign. */
function splitDouble(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & ((1n << 52n) - 1n);
  const biased = Number((bits >> 52n) & 0x7ffn);
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

/** No double has more digits behind its point. */
const mostFractionDigits = 1074;

/**
 * The digits of a finite double's absolute value with so many behind the point (`-1`, or more than there are: all),
 * rounded to even where it lies between two.
 */
export function formatDecimal(value: number, fractionDigits: number): string {
  const { mantissa, exponent } = splitDouble(value);
  const digits = fractionDigits < 0 ? mostFractionDigits : Math.min(fractionDigits, mostFractionDigits);
  const scaled = mantissa * 10n ** BigInt(digits);
  const text = (exponent >= 0 ? scaled << BigInt(exponent) : shiftToEven(scaled, BigInt(-exponent))).toString();
  const padded = text.padStart(digits + 1, '0');
  return digits === 0 ? padded : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

function shiftToEven(value: bigint, bits: bigint): bigint {
  const quotient = value >> bits;
  const rest = value - (quotient << bits);
  const half = 1n << (bits - 1n);
  return rest > half || (rest === half && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
}
