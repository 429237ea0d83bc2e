import type { JsonValue } from '../../meta/json.ts';
import { ArrayList } from '../values/array-list.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelTimestamp,
  CelUint,
  type CelResult,
  type CelValue,
} from '../values/cel-value.ts';
import { isInt, toNumber } from '../values/integers.ts';
import { isWithinTimestamp, timestampOverflow } from '../values/time-text.ts';
import { toJson } from '../values/to-json.ts';
import { ValueMap } from '../values/value-map.ts';

type Fields = ReadonlyMap<string, CelValue>;

const empty: Readonly<Record<string, CelValue>> = {
  BoolValue: false,
  BytesValue: new Uint8Array(),
  DoubleValue: new CelDouble(0),
  FloatValue: new CelDouble(0),
  Int32Value: 0,
  Int64Value: 0,
  StringValue: '',
  UInt32Value: new CelUint(0n),
  UInt64Value: new CelUint(0n),
};

function makeWrapper(name: string, value: CelValue): CelResult {
  if (name === 'Int32Value' && isInt(value) && (value < -(2 ** 31) || value >= 2 ** 31)) {
    return new CelError('integer overflow');
  }
  if (name === 'UInt32Value' && value instanceof CelUint && value.value >= 2n ** 32n) {
    return new CelError('unsigned integer overflow');
  }
  return name === 'FloatValue' && value instanceof CelDouble ? new CelDouble(Math.fround(value.value)) : value;
}

function readInt(fields: Fields, name: string): bigint {
  const value = fields.get(name);
  return isInt(value) ? BigInt(value) : 0n;
}

function makeTimestamp(fields: Fields): CelResult {
  const nanos = readInt(fields, 'nanos');
  const seconds = toNumber(Number(readInt(fields, 'seconds') + nanos / 1_000_000_000n));
  return isWithinTimestamp(seconds) ? new CelTimestamp(seconds, Number(nanos % 1_000_000_000n)) : timestampOverflow;
}

/** A protobuf message of a well-known type, as the value of the language that it stands for. */
export function makeMessage(typeName: string, fields: Fields): CelResult {
  const name = typeName.slice('google.protobuf.'.length);
  if (Object.hasOwn(empty, name)) return makeWrapper(name, fields.get('value') ?? empty[name]!);
  switch (name) {
    case 'Timestamp':
      return makeTimestamp(fields);
    case 'Duration':
      return new CelDuration(readInt(fields, 'seconds') * 1_000_000_000n + readInt(fields, 'nanos'));
    case 'Struct':
      return asProtobufJson(fields.get('fields') ?? new ValueMap());
    case 'ListValue':
      return asProtobufJson(fields.get('values') ?? new ArrayList([]));
    case 'Value':
      return makeValue(fields);
    case 'Any':
      return refuseAny(fields.get('type_url'));
    default:
      return new CelError(`unsupported conversion to ref.Val: (*${name.toLowerCase()}pb.${name})`);
  }
}

/** No message is known but those that are values of the language themselves, so nobody has one to pack. */
function refuseAny(typeUrl: CelValue | undefined): CelError {
  const packed = typeof typeUrl === 'string' ? typeUrl.slice(typeUrl.lastIndexOf('/') + 1) : '';
  return new CelError(
    packed === '' ? 'unsupported conversion to ref.Val: (*dynamicpb.Message)' : `unknown type: '${packed}'`,
  );
}

function makeValue(fields: Fields): CelResult {
  const [entry] = fields;
  if (entry === undefined || entry[0] === 'null_value') return null;
  return asProtobufJson(entry[1]);
}

/** A value as it comes back from protobuf's JSON, whose numbers are all doubles. */
function asProtobufJson(value: CelValue): CelResult {
  const json = toJson(value);
  return json instanceof CelError ? json : fromProtobufJson(json);
}

function fromProtobufJson(json: JsonValue): CelValue {
  if (typeof json === 'number' || typeof json === 'bigint') return new CelDouble(Number(json));
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return new ArrayList(json.map(fromProtobufJson));
  const map = new ValueMap();
  for (const [key, value] of Object.entries(json)) map.set(key, fromProtobufJson(value ?? null));
  return map;
}
