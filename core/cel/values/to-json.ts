import type { JsonValue } from '../../meta/json.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
} from './cel-value.ts';
import { toText } from './convert-value.ts';
import { toItems } from './array-list.ts';
import { nameRuntimeType } from './runtime-type.ts';

/** A value as JSON, as protobuf writes one: integers beyond 2^53 and times as texts, bytes in base64. An error for what has no such form. */
export function toJson(value: CelValue): JsonValue | CelError {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
      return value;
    case 'bigint':
      return String(value);
    default:
      break;
  }
  if (value === null) return null;
  if (value instanceof CelUint) {
    return value.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value.value) : String(value.value);
  }
  if (value instanceof CelDouble) return Number.isFinite(value.value) ? value.value : String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof CelTimestamp || value instanceof CelDuration) return toText(value) as string | CelError;
  if (value instanceof CelList) return listToJson(value);
  if (value instanceof CelMap) return mapToJson(value);
  if (value instanceof CelOptional) {
    return value.value === undefined ? new CelError('optional.none() dereference') : toJson(value.value);
  }
  return new CelError(`type conversion error from '${nameRuntimeType(value)}' to JSON`);
}

function listToJson(list: CelList): JsonValue | CelError {
  const json: JsonValue[] = [];
  for (const item of toItems(list)) {
    const converted = toJson(item);
    if (converted instanceof CelError) return converted;
    json.push(converted);
  }
  return json;
}

function mapToJson(map: CelMap): JsonValue | CelError {
  const json: [string, JsonValue][] = [];
  for (const key of map.keys()) {
    const name = toText(key);
    if (name instanceof CelError) return name;
    const converted = toJson(map.get(key)!);
    if (converted instanceof CelError) return converted;
    json.push([name as string, converted]);
  }
  return Object.fromEntries(json);
}
