import {
  CelDouble,
  CelDuration,
  CelError,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelResult,
  type CelValue,
} from './cel-value.ts';
import { describeValue } from './describe-value.ts';
import { isInt } from './integers.ts';
import { nameErasedType } from '../types/format-cel-type.ts';

/** The error of bytes as a key. */
export const unhashable = new CelError('internal error: runtime error: hash of unhashable type types.Bytes');

/** What a map finds a key by. */
export type HashKey = string | number | bigint | boolean | object | null;

/**
 * What a key is found by: the same for keys that are equal across the types of numbers. A list, a map, or a value of a library is only
 * found by itself, as in cel-go. `undefined`: it cannot be a key.
 */
export function toHashKey(key: CelValue): HashKey | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'boolean':
    case 'number':
    case 'bigint':
      return key;
    default:
      break;
  }
  if (key instanceof CelUint) return key.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(key.value) : key.value;
  if (key instanceof CelDouble) {
    // What equals nothing is never found again.
    if (Number.isNaN(key.value)) return {};
    if (!Number.isInteger(key.value) || Number.isSafeInteger(key.value)) return key.value + 0;
    return BigInt(key.value);
  }
  if (key instanceof CelTimestamp) return `t${key.seconds}.${key.nanos}`;
  if (key instanceof CelDuration) return `d${key.nanos}`;
  if (key instanceof CelTypeValue) return `y${nameErasedType(key.type)}`;
  return key instanceof Uint8Array ? undefined : key;
}

interface MapItem {
  readonly key: CelValue;
  readonly value: CelValue;
}

/** A map of values that an expression made. */
export class ValueMap extends CelMap {
  readonly #items = new Map<HashKey, MapItem>();

  get size(): number {
    return this.#items.size;
  }

  get(key: CelValue): CelValue | undefined {
    const hashKey = toHashKey(key);
    return hashKey === undefined ? undefined : this.#items.get(hashKey)?.value;
  }

  keys(): readonly CelValue[] {
    return Array.from(this.#items.values(), ({ key }) => key);
  }

  override firstKey(): CelValue | undefined {
    const [first] = this.#items.values();
    return first?.key;
  }

  /** Puts an entry, in the place of one with the same key. Only whoever makes the map may. An error for a key that cannot be one. */
  set(key: CelValue, value: CelValue): CelError | undefined {
    const hashKey = toHashKey(key);
    if (hashKey === undefined) return unhashable;
    this.#items.set(hashKey, { key, value });
    return undefined;
  }

  /** Takes an entry away. Only whoever makes the map may. */
  delete(key: CelValue): void {
    const hashKey = toHashKey(key);
    if (hashKey !== undefined) this.#items.delete(hashKey);
  }
}

/** The map that a comprehension gathers; only its comprehension may add to it. */
export class GatheredMap extends ValueMap {}

/** A map of entries; of two with one key, the last. An error for a key that cannot be one. */
export function makeValueMap(entries: Iterable<readonly [CelValue, CelValue]>): ValueMap | CelError {
  const map = new ValueMap();
  for (const [key, value] of entries) {
    const error = map.set(key, value);
    if (error !== undefined) return error;
  }
  return map;
}

/** A map with one more entry; an error when it has the key. The map that a comprehension gathers is changed in place. */
export function insertKey(map: CelMap, key: CelValue, value: CelValue): CelResult {
  if (map.get(key) !== undefined) return new CelError(`insert failed: key ${describeValue(key)} already exists`);
  if (map instanceof GatheredMap) return map.set(key, value) ?? map;
  const copy = new ValueMap();
  for (const existing of map.keys()) copy.set(existing, map.get(existing)!);
  return copy.set(key, value) ?? copy;
}

/** Whether a value selects something: a name, a number, or a bool. */
export function isKey(value: CelValue): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    isInt(value) ||
    value instanceof CelUint ||
    value instanceof CelDouble
  );
}
