import type { JsonValue } from '../meta/json.ts';

/** Deeper values are cut short: nobody reads them in a message. */
const maxDepth = 1000;
/** From this power of ten on Go prints a float with an exponent. */
const firstExponent = 6;
const lastExponent = -4;
const maxInteger = 2 ** 63;

/** A JSON value as Go's `%v` prints it, keys in order: `map[image:x name:y]`, `[1 2]`, `<nil>`. */
export function formatGoValue(value: JsonValue | undefined): string {
  return formatNested(value, 0, (scalar) => {
    return typeof scalar === 'number' || typeof scalar === 'bigint' ? formatGoNumber(scalar) : String(scalar);
  });
}

/** A JSON value as Go's `%s` prints it, which takes what is no text for a mistake: `[a %!s(int64=1)]`. */
export function formatGoText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '%!s(<nil>)';
  return formatNested(value, 0, (scalar) => {
    return typeof scalar === 'string' ? scalar : `%!s(${nameGoValueType(scalar)}=${formatGoValue(scalar)})`;
  });
}

type JsonScalar = Exclude<JsonValue, object | null>;

function formatNested(
  value: JsonValue | undefined,
  depth: number,
  formatScalar: (scalar: JsonScalar) => string,
): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value !== 'object') return formatScalar(value);
  if (depth > maxDepth) return '...';
  if (Array.isArray(value)) return `[${value.map((item) => formatNested(item, depth + 1, formatScalar)).join(' ')}]`;
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${key}:${formatNested(value[key], depth + 1, formatScalar)}`);
  return `map[${members.join(' ')}]`;
}

/** Whether Go holds a JSON number as a float: what is no integer, or beyond 64 bits. */
function isFloat(value: number | bigint): boolean {
  if (typeof value === 'number' && !Number.isInteger(value)) return true;
  return value >= maxInteger || value < -maxInteger;
}

/** A JSON number as Go's `%v` prints it. */
export function formatGoNumber(value: number | bigint): string {
  if (!isFloat(value)) return String(value);
  const [digits = '', power = '0'] = Number(value).toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= lastExponent && exponent < firstExponent) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Go's name of the type that holds a decoded JSON value. */
export function nameGoValueType(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
      return isFloat(value) ? 'float64' : 'int64';
  }
}
