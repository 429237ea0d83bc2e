import {
  CelDouble,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelUint,
  type CelResult,
  type CelValue,
} from '../values/cel-value.ts';
import { describeValue } from '../values/describe-value.ts';
import { isInt, toNumber } from '../values/integers.ts';
import { JsonList, JsonMap } from '../values/json-value.ts';
import { nameRuntimeType } from '../values/runtime-type.ts';
import { isKey } from '../values/value-map.ts';

/** The error of a key that a map has not. */
export function makeMissingKey(key: CelValue): CelError {
  return new CelError(`no such key: ${describeValue(key)}`);
}

function makeMissingIndex(key: CelValue): CelError {
  return new CelError(`index out of bounds: ${describeValue(key)}`);
}

/** The place in a list that a key denotes, which may be beyond its end; an error for what denotes none. */
function toListIndex(key: CelValue): number | CelError {
  if (isInt(key)) return toNumber(key);
  if (key instanceof CelUint) {
    return key.value < 2n ** 63n ? Number(key.value) : refuseIndex(key);
  }
  if (key instanceof CelDouble) return Number.isInteger(key.value) ? key.value + 0 : refuseIndex(key);
  return new CelError(`unsupported index type '${nameRuntimeType(key)}' in list`);
}

function refuseIndex(key: CelValue): CelError {
  return new CelError(`unsupported index value ${describeValue(key)} in list`);
}

/** Reads a field or item; `undefined`: there is none. An error for a key that the value cannot have, or that its owner refuses. */
export function findItem(value: CelValue, key: CelValue): CelResult | undefined {
  if (value instanceof CelMap) return value.get(key);
  if (value instanceof CelList) {
    const index = toListIndex(key);
    if (index instanceof CelError) return index;
    return index >= 0 && index < value.size ? value.at(index) : undefined;
  }
  if (!(value instanceof CelOpaque) || value.select === undefined) return undefined;
  return typeof key === 'string' ? value.select(key) : new CelError('no such overload');
}

/** Reads a field or item; an error when there is none. */
export function selectItem(value: CelValue, key: CelValue): CelResult {
  const found = findItem(value, key);
  if (found !== undefined) return found;
  return value instanceof CelList ? makeMissingIndex(key) : makeMissingKey(key);
}

const goTypes: Readonly<Record<string, string>> = {
  null_type: 'types.Null',
  bytes: 'types.Bytes',
  list: '*types.baseList',
  map: '*types.baseMap',
  type: '*types.Type',
  optional_type: '*types.Optional',
  'google.protobuf.Timestamp': 'types.Timestamp',
  'google.protobuf.Duration': 'types.Duration',
  string: 'types.String',
  bool: 'types.Bool',
  int: 'types.Int',
  uint: 'types.Uint',
  double: 'types.Double',
};

/** The name of the Go type that cel-go has for a value, which some of its errors show. */
export function nameGoType(value: CelValue): string {
  const name = nameRuntimeType(value);
  return goTypes[name] ?? name;
}

/** The error of a value that selects nothing from anything; `undefined`: it can be a key. */
export function refuseQualifier(key: CelValue): CelError | undefined {
  return isKey(key) ? undefined : new CelError(`invalid qualifier type: ${nameGoType(key)}`);
}

/** As refuseQualifier, for a key that was read from JSON: cel-go has not yet made a value of it. */
export function refuseJsonQualifier(key: CelValue): CelError | undefined {
  return isKey(key) ? undefined : new CelError(`invalid qualifier type: ${nameJsonType(key)}`);
}

function nameJsonType(key: CelValue): string {
  if (key === null) return '<nil>';
  if (key instanceof JsonMap) return key.schema === undefined ? 'map[string]interface {}' : '*common.unstructuredMap';
  if (key instanceof JsonList) return key.schema === undefined ? '[]interface {}' : '*common.unstructuredList';
  return nameGoType(key);
}
