import { deepEqual } from '../../../../core/meta/deep.ts';
import { isJsonObject, type JsonValue } from '../../../../core/meta/json.ts';
import { isGoInteger } from './validate-number.ts';

/** Whether a value is one of an enumeration, after Go's conversion to the type of each: null never is. */
export function matchesEnum(value: JsonValue, allowed: readonly JsonValue[]): boolean {
  if (value === null) return false;
  if (typeof value === 'string') return findTexts(allowed).has(value);
  return allowed.some((one) => one !== null && matches(value, one));
}

const texts = new WeakMap<readonly JsonValue[], ReadonlySet<JsonValue>>();

/** The entries of an enumeration, to find texts among many. */
function findTexts(allowed: readonly JsonValue[]): ReadonlySet<JsonValue> {
  let found = texts.get(allowed);
  if (found === undefined) texts.set(allowed, (found = new Set(allowed)));
  return found;
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function matches(value: NonNullable<JsonValue>, allowed: NonNullable<JsonValue>): boolean {
  if (isNumber(value)) {
    if (typeof allowed === 'string') return isGoInteger(value) && toCharacter(value) === allowed;
    if (!isNumber(allowed)) return false;
    // A fraction is cut off where the enumeration has an integer.
    const converted = isGoInteger(allowed) && !isGoInteger(value) ? Math.trunc(Number(value)) : value;
    return isGoInteger(allowed) ? BigInt(converted) === BigInt(allowed) : Number(converted) === Number(allowed);
  }
  if (Array.isArray(value) || isJsonObject(value)) return deepEqual(value, allowed);
  return value === allowed;
}

/** Go makes a text of an integer by taking it for a code point. */
function toCharacter(value: number | bigint): string {
  const point = Number(value);
  const isCharacter = point >= 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return isCharacter ? String.fromCodePoint(point) : '\ufffd';
}
