import {
  CelDouble,
  CelDuration,
  CelError,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelResult,
  type CelValue,
} from './cel-value.ts';
import { formatDouble } from './format-double.ts';
import { isInt, isWithinInt, isWithinUint, toCanonicalInt, toNumber } from './integers.ts';
import { nameErasedType } from '../types/format-cel-type.ts';
import { nameRuntimeType } from './runtime-type.ts';
import {
  formatDuration,
  formatTimestamp,
  isWithinTimestamp,
  parseDuration,
  parseTimestamp,
  timestampOverflow,
} from './time-text.ts';

const intOverflow = new CelError('integer overflow');
const uintOverflow = new CelError('unsigned integer overflow');
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

function refuse(value: CelValue, typeName: string): CelError {
  return new CelError(`type conversion error from '${nameRuntimeType(value)}' to '${typeName}'`);
}

/** `string(value)`; an error for what has no text, and for bytes that are not UTF-8. */
export function toText(value: CelValue): CelResult {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  if (value === null) return 'null';
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTypeValue) return nameErasedType(value.type);
  if (!(value instanceof Uint8Array)) return refuse(value, 'string');
  try {
    return utf8.decode(value);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** `int(value)`: nanoseconds of a duration, seconds since 1970 of a timestamp; an error for what is no integer of 64 bits. */
export function toInt(value: CelValue): CelResult {
  if (isInt(value)) return value;
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) return refuse(value, 'int');
    const parsed = parseDigits(value);
    return parsed !== undefined && isWithinInt(parsed) ? toCanonicalInt(parsed) : refuse(value, 'int');
  }
  if (value instanceof CelUint) return isWithinInt(value.value) ? toCanonicalInt(value.value) : intOverflow;
  if (value instanceof CelDouble) {
    // The bounds themselves are refused, as both are not exact.
    return value.value > -(2 ** 63) && value.value < 2 ** 63
      ? toCanonicalInt(BigInt(Math.trunc(value.value)))
      : intOverflow;
  }
  if (value instanceof CelDuration) return toCanonicalInt(value.nanos);
  return value instanceof CelTimestamp ? value.seconds : refuse(value, 'int');
}

/** A number of at most 40 digits beside leading zeros; `undefined` for a longer one, which is out of every range. */
function parseDigits(text: string): bigint | undefined {
  const isNegative = text.startsWith('-');
  const digits = text.replace(/^[+-]?0*(?=\d)/, '');
  if (digits.length > 40) return undefined;
  return isNegative ? -BigInt(digits) : BigInt(digits);
}

/** `uint(value)`; an error for what is no unsigned integer of 64 bits. */
export function toUint(value: CelValue): CelResult {
  if (value instanceof CelUint) return value;
  if (isInt(value)) return value < 0 ? uintOverflow : new CelUint(BigInt(value));
  if (value instanceof CelDouble) {
    return value.value >= 0 && value.value < 2 ** 64 ? new CelUint(BigInt(Math.trunc(value.value))) : uintOverflow;
  }
  if (typeof value !== 'string' || !/^\d+$/.test(value)) return refuse(value, 'uint');
  const parsed = parseDigits(value);
  return parsed !== undefined && isWithinUint(parsed) ? new CelUint(parsed) : refuse(value, 'uint');
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const hexadecimal = /^(?<sign>[+-]?)0[xX](?<whole>[0-9a-fA-F]*)\.?(?<fraction>[0-9a-fA-F]*)[pP](?<exponent>[+-]?\d+)$/;

/** `double(value)`; an error for what is no number or out of range. */
export function toDouble(value: CelValue): CelResult {
  if (value instanceof CelDouble) return value;
  if (isInt(value)) return new CelDouble(toNumber(value));
  if (value instanceof CelUint) return new CelDouble(Number(value.value));
  if (typeof value !== 'string') return refuse(value, 'double');
  const parsed = parseDouble(value);
  return parsed === undefined ? refuse(value, 'double') : new CelDouble(parsed);
}

/** A text as Go's `strconv.ParseFloat` reads it; `undefined`: no number, or beyond the largest. */
function parseDouble(text: string): number | undefined {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  const plain = text.includes('_') ? dropUnderscores(text) : text;
  if (plain === undefined) return undefined;
  const parsed = decimal.test(plain) ? Number(plain) : parseHexadecimal(plain);
  return parsed !== undefined && Number.isFinite(parsed) ? parsed : undefined;
}

function dropUnderscores(text: string): string | undefined {
  const isValid =
    /^[+-]?(?:0[xX]_?)?[0-9a-fA-F]+(?:_?[0-9a-fA-F]+)*(?:\.(?:[0-9a-fA-F]+(?:_?[0-9a-fA-F]+)*)?)?(?:[eEpP][+-]?\d+(?:_?\d+)*)?$/;
  return text.length < 1000 && isValid.test(text) ? text.replaceAll('_', '') : undefined;
}

function parseHexadecimal(text: string): number | undefined {
  const parts = hexadecimal.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const digits = parts['whole']! + parts['fraction']!;
  if (digits === '' || digits.length > 200) return undefined;
  const scaled = Number(BigInt(`0x${digits}`)) * 2 ** (Number(parts['exponent']) - 4 * parts['fraction']!.length);
  return parts['sign'] === '-' ? -scaled : scaled;
}

const texts: Readonly<Record<string, boolean>> = {
  1: true, t: true, T: true, TRUE: true, true: true, True: true,
  0: false, f: false, F: false, FALSE: false, false: false, False: false,
}; // prettier-ignore

/** `bool(value)`; an error for a text that says neither. */
export function toBool(value: CelValue): CelResult {
  if (typeof value === 'boolean') return value;
  return (typeof value === 'string' && Object.hasOwn(texts, value) ? texts[value] : undefined) ?? refuse(value, 'bool');
}

/** `bytes(value)`: UTF-8 of a text. */
export function toBytes(value: CelValue): CelResult {
  if (value instanceof Uint8Array) return value;
  return typeof value === 'string' ? encoder.encode(value) : refuse(value, 'bytes');
}

/** `timestamp(value)`: a text as in RFC 3339, or seconds since 1970; an error for others and out of the years 1 to 9999. */
export function toTimestamp(value: CelValue): CelResult {
  if (value instanceof CelTimestamp) return value;
  if (isInt(value)) {
    return isWithinTimestamp(toNumber(value)) ? new CelTimestamp(toNumber(value), 0) : timestampOverflow;
  }
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
  return parsed ?? refuse(value, 'google.protobuf.Timestamp');
}

/** `duration(value)`: a text such as `1h30m`. */
export function toDuration(value: CelValue): CelResult {
  if (value instanceof CelDuration) return value;
  const parsed = typeof value === 'string' ? parseDuration(value) : undefined;
  return parsed ?? refuse(value, 'google.protobuf.Duration');
}
