import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  makeListType,
  makeMapType,
  makeOptionalType,
  makeTypeType,
  nullType,
  stringType,
  timestampType,
  uintType,
  type CelType,
} from '../types/cel-type.ts';
import { nameErasedType } from '../types/format-cel-type.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from './cel-value.ts';

const listType = makeListType(dynType);
const mapType = makeMapType(dynType, dynType);
const optionalType = makeOptionalType(dynType);
const typeType = makeTypeType(dynType);

/** The type of a value as it is when evaluated: items, keys and values are `dyn`. */
export function runtimeTypeOf(value: CelValue): CelType {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'boolean':
      return boolType;
    case 'number':
    case 'bigint':
      return intType;
    default:
      break;
  }
  if (value === null) return nullType;
  if (value instanceof CelMap) return mapType;
  if (value instanceof CelList) return listType;
  if (value instanceof CelOpaque) return value.type;
  if (value instanceof CelDouble) return doubleType;
  if (value instanceof CelUint) return uintType;
  if (value instanceof Uint8Array) return bytesType;
  if (value instanceof CelTimestamp) return timestampType;
  if (value instanceof CelDuration) return durationType;
  if (value instanceof CelOptional) return optionalType;
  return typeType;
}

/** The name of the type of a value, such as `int` or `net.IP`. */
export function nameRuntimeType(value: CelValue): string {
  return nameErasedType(runtimeTypeOf(value));
}

/** Whether a value may be an argument of a parameter; of a list or map, only its first item is looked at. */
export function matchesType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'any':
    case 'parameter':
      return true;
    case 'string':
      return typeof value === 'string';
    case 'int':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'bool':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'uint':
      return value instanceof CelUint;
    case 'double':
      return value instanceof CelDouble;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'timestamp':
      return value instanceof CelTimestamp;
    case 'duration':
      return value instanceof CelDuration;
    case 'type':
      return value instanceof CelTypeValue;
    case 'wrapper':
      return value === null || matchesType(value, type.of);
    case 'list':
      return value instanceof CelList && (value.size === 0 || matchesType(value.at(0), type.items));
    case 'map':
      return value instanceof CelMap && matchesFirstEntry(value, type.keys, type.values);
    case 'opaque':
    case 'object':
      return nameRuntimeType(value) === type.name;
    default:
      return false;
  }
}

function matchesFirstEntry(map: CelMap, keys: CelType, values: CelType): boolean {
  const key = map.firstKey();
  if (key === undefined) return true;
  return matchesType(key, keys) && matchesType(map.get(key)!, values);
}

/** The error of a call whose arguments no overload takes: `no such overload: f(int, string)`. */
export function describeNoOverload(functionName: string, values: readonly CelValue[]): CelError {
  return new CelError(`no such overload: ${functionName}(${values.map(nameRuntimeType).join(', ')})`);
}
