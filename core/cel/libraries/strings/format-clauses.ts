import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  CelError,
  type CelValue,
} from '../../values/cel-value.ts';
import { quoteGo } from '../../../errors/quote-go.ts';
import { compareTexts } from '../../values/compare-values.ts';
import { toText } from '../../values/convert-value.ts';
import { isInt } from '../../values/integers.ts';
import { nameRuntimeType } from '../../values/runtime-type.ts';
import { formatDecimal } from './format-decimal.ts';
import { FormatError } from './format-error.ts';
import { ResultTooLarge } from './result-too-large.ts';

/** Writes a value as one clause of `format` has it; throws FormatError. */
export type FormatClause = (value: CelValue) => string;

const defaultPrecision = 6;

function convertToText(value: CelValue): string {
  const text = toText(value);
  if (typeof text === 'string') return text;
  const fault = text instanceof CelError ? text.message : '';
  throw new FormatError(`could not convert argument ${quoteGo(fault)} to string`);
}

function isPlain(value: CelValue): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    isInt(value) ||
    value instanceof CelUint ||
    value instanceof CelDouble ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration ||
    value instanceof CelTypeValue ||
    value instanceof Uint8Array
  );
}

/** `%s` */
export function formatText(value: CelValue): string {
  if (value === null) return 'null';
  if (value instanceof CelList) return formatList(value);
  if (value instanceof CelMap) return formatMap(value);
  if (isPlain(value)) return convertToText(value);
  const accepted = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
  throw new FormatError(`string clause can only be used on ${accepted}, was given ${nameRuntimeType(value)}`);
}

function formatNested(value: CelValue): string {
  if (typeof value === 'string') return quoteGo(value);
  if (value instanceof Uint8Array) return `b${quoteGo(convertToText(value))}`;
  if (value instanceof CelTimestamp) return `timestamp(${quoteGo(convertToText(value))})`;
  if (value instanceof CelDuration) return `duration(${quoteGo(convertToText(value))})`;
  if (value instanceof CelDouble) return formatNestedDouble(value.value);
  if (value === null || value instanceof CelList || value instanceof CelMap || isPlain(value)) return formatText(value);
  throw new FormatError(`no formatting function for ${nameRuntimeType(value)}`);
}

function formatNestedDouble(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return `"${sign === '' ? '+' : sign}Inf"`;
  return sign + formatDecimal(value, defaultPrecision);
}

function formatList(list: CelList): string {
  const items: string[] = [];
  let length = 0;
  for (let i = 0; i < list.size; i++) {
    const item = formatNested(list.at(i));
    length += item.length + 2;
    if (length > ResultTooLarge.limit) throw new ResultTooLarge();
    items.push(item);
  }
  return `[${items.join(', ')}]`;
}

function formatKey(key: CelValue): string {
  if (typeof key === 'string') return quoteGo(key);
  if (typeof key === 'boolean' || isInt(key) || key instanceof CelUint) return convertToText(key);
  throw new FormatError(`no formatting function for map key of type ${nameRuntimeType(key)}`);
}

function formatMap(map: CelMap): string {
  const entries = map.keys().map((key) => [formatKey(key), formatNested(map.get(key) ?? null)] as const);
  const ordered = entries.toSorted(([a], [b]) => compareTexts(a, b));
  return `{${ordered.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

function toInteger(value: CelValue): bigint | undefined {
  if (isInt(value)) return BigInt(value);
  return value instanceof CelUint ? value.value : undefined;
}

/** `%d` */
export function formatInteger(value: CelValue): string {
  const integer = toInteger(value);
  if (integer !== undefined) return String(integer);
  throw new FormatError(`decimal clause can only be used on integers, was given ${nameRuntimeType(value)}`);
}

/** `%b` */
export function formatBinary(value: CelValue): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  const integer = toInteger(value);
  if (integer !== undefined) return integer.toString(2);
  throw new FormatError(`only integers and bools can be formatted as binary, was given ${nameRuntimeType(value)}`);
}

/** `%o` */
export function formatOctal(value: CelValue): string {
  const integer = toInteger(value);
  if (integer !== undefined) return integer.toString(8);
  throw new FormatError(`octal clause can only be used on integers, was given ${nameRuntimeType(value)}`);
}

const encoder = new TextEncoder();

/** `%x` */
export function formatHex(value: CelValue): string {
  const integer = toInteger(value);
  if (integer !== undefined) return integer.toString(16);
  const bytes = typeof value === 'string' ? encoder.encode(value) : value;
  if (bytes instanceof Uint8Array) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const accepted = 'only integers, byte buffers, and strings';
  throw new FormatError(`${accepted} can be formatted as hex, was given ${nameRuntimeType(value)}`);
}

const namedNumbers: Readonly<Record<string, number>> = { NaN, Infinity, '-Infinity': -Infinity };

function toNumber(value: CelValue, clause: string): number {
  if (value instanceof CelDouble) return value.value;
  if (typeof value === 'string' && Object.hasOwn(namedNumbers, value)) return namedNumbers[value] ?? NaN;
  throw new FormatError(`${clause} clause can only be used on doubles, was given ${nameRuntimeType(value)}`);
}

/** The sign and the word of a number that has no digits; `undefined`: it has some. */
function nameNumber(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value < 0 ? '-∞' : '∞';
}

/** Go reads no number of more digits out of a format. */
function isTooLong(precision: number): boolean {
  const digits = String(precision);
  return digits.length > 7 && Number(digits.slice(0, 7)) > 1_000_000;
}

const noVerb = '%!(NOVERB)';

/** `%f`, with commas between thousands. Go's text package keeps the precision in fields that are too small, and so do we. */
export function makeFixed(precision = defaultPrecision): FormatClause {
  return (value) => {
    const number = toNumber(value, 'fixed-point');
    if (isTooLong(precision)) return noVerb;
    const named = nameNumber(number);
    if (named !== undefined) return named;
    const most = (precision << 16) >> 16;
    const least = precision & 0xff;
    const [whole = '', fraction = ''] = formatDecimal(number, most).split('.');
    const kept = precision > 0xff ? fraction.replace(/0+$/, '').padEnd(least, '0') : fraction;
    const grouped = whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, ',');
    return `${number < 0 ? '-' : ''}${grouped}${kept === '' ? '' : `.${kept}`}`;
  };
}

function formatScientific(value: number): string {
  const named = nameNumber(value);
  if (named !== undefined) return named;
  const [digits = '', exponentText = ''] = Math.abs(value).toExponential(defaultPrecision).split('e');
  const exponent = Number(exponentText);
  const raised = Array.from(String(Math.abs(exponent)).padStart(2, '0'), (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit)));
  return `${value < 0 ? '-' : ''}${digits}×10${exponent < 0 ? '⁻' : ''}${raised.join('')}`;
}

/** `%e`: what stands where a precision would is a width to cel-go, and there are always six digits. */
export function makeScientific(precision = defaultPrecision): FormatClause {
  return (value) => {
    const number = toNumber(value, 'scientific');
    if (isTooLong(precision)) return noVerb;
    return formatScientific(number).padStart(precision & 0xffff, ' ');
  };
}
