import type { CelDouble, CelError, CelUint } from './cel-value.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  type CelValue,
} from './cel-value.ts';
import { ConcatenatedList, toItems } from './array-list.ts';
import { countComparison } from './comparison-count.ts';
import { compareNumbers } from './compare-values.ts';
import { isPlainJson, isSameJson } from './json-equality.ts';
import { JsonList, JsonMap, readProperty } from './json-value.ts';
import { nameErasedType } from '../types/format-cel-type.ts';
import { indexItems } from './unite-lists.ts';

/** Whether two values are equal; values of different types are not, but numbers are by what they amount to. An error as the values of a library have one. */
export function areEqual(first: CelValue, second: CelValue): boolean | CelError {
  if (typeof first === 'string' || typeof first === 'boolean') return first === second;
  if (first === null || second === null) return first === second;
  if (typeof first === 'number' && typeof second === 'number') return first === second;
  if (first instanceof CelOpaque) return first.equals(second);
  if (isPlainJson(first) && isPlainJson(second)) return isSameJson(first.json, second.json);
  if (first instanceof CelList) return second instanceof CelList && areListsEqual(first, second);
  if (first instanceof CelMap) return second instanceof CelMap && areMapsEqual(first, second);
  if (first instanceof Uint8Array) return second instanceof Uint8Array && areBytesEqual(first, second);
  if (first instanceof CelTimestamp) {
    return second instanceof CelTimestamp && first.seconds === second.seconds && first.nanos === second.nanos;
  }
  if (first instanceof CelDuration) return second instanceof CelDuration && first.nanos === second.nanos;
  if (first instanceof CelTypeValue) {
    return second instanceof CelTypeValue && nameErasedType(first.type) === nameErasedType(second.type);
  }
  if (first instanceof CelOptional) return second instanceof CelOptional && areOptionalsEqual(first, second);
  return areNumbersEqual(first, second);
}

function areNumbersEqual(first: number | bigint | CelUint | CelDouble, second: CelValue): boolean {
  return compareNumbers(first, second) === 0;
}

function areBytesEqual(first: Uint8Array, second: Uint8Array): boolean {
  if (first.length !== second.length) return false;
  for (let index = 0; index < first.length; index++) if (first[index] !== second[index]) return false;
  return true;
}

function areOptionalsEqual(first: CelOptional, second: CelOptional): boolean | CelError {
  if (first.value === undefined || second.value === undefined) return first.value === second.value;
  return areEqual(first.value, second.value);
}

function areListsEqual(first: CelList, second: CelList): boolean | CelError {
  const size = first.size;
  if (size !== second.size) return false;
  if (first instanceof JsonList && first.listType !== 'atomic') return isSameSet(first, second);
  let failure: CelError | undefined;
  for (let index = 0; index < size; index++) {
    countComparison();
    const isEqual = areEqual(first.at(index), second.at(index));
    if (isEqual === false) return false;
    if (isEqual !== true) failure ??= isEqual;
  }
  // cel-go takes items that cannot be compared for equal, but in lists that were put together.
  return failure !== undefined && first instanceof ConcatenatedList ? failure : true;
}

/** Whether a list of type `set` or `map` has the same items as another of its size, in whatever order. */
function isSameSet(first: JsonList, second: CelList): boolean {
  const find = indexItems(first, second, isSame);
  return toItems(first).every((item) => {
    const other = find(item);
    return other !== undefined && isSame(item, other);
  });
}

function isSame(first: CelValue, second: CelValue): boolean {
  countComparison();
  return areEqual(first, second) === true;
}

/** Whether a list has an item that is equal to a value. */
export function containsValue(list: CelList, value: CelValue): boolean {
  const size = list.size;
  for (let index = 0; index < size; index++) if (areEqual(value, list.at(index)) === true) return true;
  return false;
}

/** To find an entry takes as long as so many comparisons of items. */
const comparisonsPerEntry = 16;

/** As Kubernetes compares objects of its schemas: fields that are null are absent, and unknown ones count only where both have them. */
function areFieldsEqual(first: JsonMap, second: JsonMap, properties: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(first.json).every((key) => {
    countComparison(comparisonsPerEntry);
    if (!Object.hasOwn(properties, key)) {
      const other = readProperty(second.json, key);
      return other === undefined || isSameJson(first.json[key], other);
    }
    const [value, other] = [first.get(key), second.get(key)];
    if (value === undefined || other === undefined) return value === other;
    return areEqual(value, other) !== false;
  });
}

function areMapsEqual(first: CelMap, second: CelMap): boolean {
  if (first.size !== second.size) return false;
  if (first instanceof JsonMap && second instanceof JsonMap && first.schema?.isDeclared === true) {
    const { properties } = first.schema;
    if (properties !== undefined) return areFieldsEqual(first, second, properties);
  }
  for (const key of first.keys()) {
    countComparison(comparisonsPerEntry);
    const other = second.get(key);
    if (other === undefined || areEqual(first.get(key)!, other) === false) return false;
  }
  return true;
}
