import type { JsonValue } from '../meta/json.ts';
import { formatQuantity, isQuantityFault, parseQuantity } from '../quantity/quantity.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { canonicalizeMicroTime, canonicalizeTime } from '../time/time.ts';
import { canonicalizeBase64 } from './canonicalize-base64.ts';
import { describeTimeFault } from './describe-time-fault.ts';
import { describeJsonType, nameGoType } from './name-go-type.ts';

/** Why a scalar could not be decoded: either the two types that differ, or a whole message. */
export interface ScalarFault {
  /** What stood in the document: `string`, `number 1.5`. */
  readonly found?: string;
  /** Go's name of the type that was expected. */
  readonly type?: string;
  /** A message that does not stop the decoder. */
  readonly message?: string;
  /** A message of a type that decodes itself: it stops the decoder. */
  readonly abort?: string;
  /** Whether the difference of types stops the decoder. */
  readonly endsDecoding?: boolean;
}

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;
const minInt32 = -(2 ** 31);
const maxInt32 = 2 ** 31 - 1;

/** Decodes a value that is not null into a scalar of the schema's type and format; `literal` is the number as it was written. */
export function decodeScalar(
  value: JsonValue,
  schema: StructuralSchema,
  literal: string | undefined,
): { value: JsonValue } | ScalarFault {
  switch (schema.format) {
    case 'quantity':
      return decodeQuantity(value, literal);
    case 'int-or-string':
      if (typeof value === 'string') return { value };
      return endDecoding(decodeInteger(value, 'int32', 'int32', literal));
    case 'date-time':
    case 'micro-time':
      return decodeTime(value, schema.format);
    case 'byte':
      return decodeBytes(value, nameGoType(schema));
    case 'int32':
    case 'int64':
      return decodeInteger(value, schema.format, nameGoType(schema), literal);
    default:
      break;
  }
  const type = nameGoType(schema);
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? { value } : { found: describeJsonType(value), type };
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { found: describeJsonType(value), type };
    case 'integer':
      return decodeInteger(value, 'int64', type, literal);
    default:
      if (typeof value === 'number' || typeof value === 'bigint') return { value: Number(value) };
      return { found: describeJsonType(value), type };
  }
}

/** The zero value of a scalar's Go type, as Go writes it. */
export function makeZeroScalar(schema: StructuralSchema): JsonValue {
  switch (schema.format) {
    case 'quantity':
      return '0';
    case 'int-or-string':
      return 0;
    case 'date-time':
    case 'micro-time':
      return null;
    case 'byte':
      return '';
    default:
      break;
  }
  switch (schema.type) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'any':
      return null;
    default:
      return 0;
  }
}

function decodeQuantity(value: JsonValue, literal: string | undefined): { value: JsonValue } | ScalarFault {
  // A quantity decodes itself from whatever stands there, quotes taken off.
  const text = typeof value === 'string' ? value : typeof value === 'object' ? '{}' : (literal ?? String(value));
  const quantity = parseQuantity(text.trim());
  return isQuantityFault(quantity) ? { abort: quantity.fault } : { value: formatQuantity(quantity) };
}

function decodeTime(value: JsonValue, format: 'date-time' | 'micro-time'): { value: JsonValue } | ScalarFault {
  if (typeof value !== 'string') return { found: describeJsonType(value), type: 'string', endsDecoding: true };
  const canonical = format === 'date-time' ? canonicalizeTime(value) : canonicalizeMicroTime(value);
  return canonical === undefined ? { abort: describeTimeFault(value, format) } : { value: canonical };
}

function decodeBytes(value: JsonValue, type: string): { value: JsonValue } | ScalarFault {
  // Go also reads bytes from a list of their numbers.
  if (isByteList(value)) return { value: btoa(String.fromCharCode(...value)) };
  if (typeof value !== 'string') return { found: describeJsonType(value), type };
  const canonical = canonicalizeBase64(value);
  if ('faultAt' in canonical) return { message: `illegal base64 data at input byte ${canonical.faultAt}` };
  return { value: canonical.text };
}

function isByteList(value: JsonValue): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number' && item >= 0 && item <= 255);
}

function decodeInteger(
  value: JsonValue,
  format: 'int32' | 'int64',
  type: string,
  literal: string | undefined,
): { value: JsonValue } | ScalarFault {
  if (typeof value !== 'number' && typeof value !== 'bigint') return { found: describeJsonType(value), type };
  const fits =
    literal === undefined &&
    (typeof value === 'bigint' || Number.isInteger(value)) &&
    (format === 'int32' ? value >= minInt32 && value <= maxInt32 : value >= minInt64 && value <= maxInt64);
  return fits ? { value } : { found: `number ${literal ?? String(value)}`, type };
}

function endDecoding(result: { value: JsonValue } | ScalarFault): { value: JsonValue } | ScalarFault {
  return 'value' in result ? result : { ...result, endsDecoding: true };
}
