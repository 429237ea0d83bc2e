import { nameErasedType } from '../../core/cel/types/format-cel-type.ts';
import { ArrayList } from '../../core/cel/values/array-list.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelResult,
  type CelValue,
} from '../../core/cel/values/cel-value.ts';
import { toCanonicalInt } from '../../core/cel/values/integers.ts';
import { formatTimestamp, parseTimestamp } from '../../core/cel/values/time-text.ts';
import { makeValueMap } from '../../core/cel/values/value-map.ts';
import type { JsonValue } from '../../core/meta/json.ts';
import type { TypedValue } from './oracle-protocol.ts';
import { parseCelType } from './parse-cel-type.ts';

/** A value as the oracle writes it; of values of opaque types, only the type. */
export function encodeValue(value: CelResult): TypedValue {
  if (value === null) return { null: null };
  switch (typeof value) {
    case 'boolean':
      return { bool: value };
    case 'number':
    case 'bigint':
      return { int: String(value) };
    case 'string':
      return { string: value };
    default:
      break;
  }
  if (value instanceof CelUint) return { uint: String(value.value) };
  if (value instanceof CelDouble) return { double: encodeDouble(value.value) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (value instanceof CelTimestamp)
    return { timestamp: formatTimestamp(new CelTimestamp(value.seconds, value.nanos)) };
  if (value instanceof CelDuration) return { duration: String(value.nanos) };
  if (value instanceof CelTypeValue) return { type: nameErasedType(value.type) };
  if (value instanceof CelOptional) return { optional: value.value === undefined ? null : encodeValue(value.value) };
  if (value instanceof CelError) return { error: value.message };
  if (value instanceof CelList) {
    return { list: Array.from({ length: value.size }, (_, i) => encodeValue(value.at(i)) as JsonValue) };
  }
  if (value instanceof CelMap) {
    return { map: value.keys().map((key) => [encodeValue(key), encodeValue(value.get(key)!)]) };
  }
  return { opaque: [nameErasedType(value.type), ''] };
}

function encodeDouble(value: number): number | string {
  return Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? '-0' : String(value);
}

/** Reads a value of the oracle's; throws for one of an opaque type. */
export function decodeValue(typed: TypedValue): CelValue {
  const [kind, content] = Object.entries(typed)[0]!;
  const text = String(content);
  switch (kind) {
    case 'null':
      return null;
    case 'bool':
      return content as boolean;
    case 'string':
      return text;
    case 'int':
      return toCanonicalInt(BigInt(text));
    case 'uint':
      return new CelUint(BigInt(text));
    case 'double':
      return new CelDouble(Number(text));
    case 'bytes':
      return Uint8Array.from(Buffer.from(text, 'base64'));
    case 'duration':
      return new CelDuration(BigInt(text));
    case 'timestamp': {
      const parsed = parseTimestamp(text);
      if (parsed instanceof CelTimestamp) return parsed;
      break;
    }
    case 'type':
      return new CelTypeValue(parseCelType(text));
    case 'optional':
      return content === null ? CelOptional.none : new CelOptional(decodeValue(content as TypedValue));
    case 'list':
      return new ArrayList((content as TypedValue[]).map(decodeValue));
    case 'map': {
      const map = makeValueMap(
        (content as unknown as [TypedValue, TypedValue][]).map(([key, value]) => [
          decodeValue(key),
          decodeValue(value),
        ]),
      );
      if (!(map instanceof CelError)) return map;
      break;
    }
    default:
      break;
  }
  throw new Error(`no value: ${JSON.stringify(typed)}`);
}

/** The value as one text: equal for equal values of equal types, entries of maps in any order; opaque values are told apart by type only. */
export function describeTypedValue(value: JsonValue | undefined): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(describeTypedValue).join(',')}]`;
  const [kind, content] = Object.entries(value)[0]!;
  if (kind === 'opaque') return `opaque ${String((content as JsonValue[])[0])}`;
  if (kind === 'map') return `{${(content as JsonValue[]).map(describeTypedValue).toSorted().join(',')}}`;
  return `${kind} ${describeTypedValue(content)}`;
}
