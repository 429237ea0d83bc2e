import { areEqual } from './are-equal.ts';
import { ConcatenatedList, GatheredList } from './array-list.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelTimestamp,
  CelUint,
  type CelResult,
  type CelValue,
} from './cel-value.ts';
import { isInt, isWithinInt, isWithinUint, toCanonicalInt } from './integers.ts';
import { JsonList } from './json-value.ts';
import { isWithinTimestamp, timestampOverflow } from './time-text.ts';
import { uniteLists } from './unite-lists.ts';

/** The error of arguments that an operator does not take. */
export const noSuchOverload = new CelError('no such overload');
const intOverflow = new CelError('integer overflow');
const uintOverflow = new CelError('unsigned integer overflow');
const divisionByZero = new CelError('division by zero');
const modulusByZero = new CelError('modulus by zero');
const nanosPerSecond = 1_000_000_000n;

function toInt(value: bigint): CelResult {
  return isWithinInt(value) ? toCanonicalInt(value) : intOverflow;
}

function toUint(value: bigint): CelResult {
  return isWithinUint(value) ? new CelUint(value) : uintOverflow;
}

function toDuration(nanos: bigint): CelResult {
  return isWithinInt(nanos) ? new CelDuration(nanos) : intOverflow;
}

function addDuration({ seconds, nanos, offsetSeconds }: CelTimestamp, duration: bigint): CelResult {
  const total = BigInt(nanos) + duration;
  const rest = ((total % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  const sum = seconds + Number((total - rest) / nanosPerSecond);
  return isWithinTimestamp(sum) ? new CelTimestamp(sum, Number(rest), offsetSeconds) : timestampOverflow;
}

/** `a + b`; an error for operands that are not added, and when the sum is out of range. */
export function addValues(first: CelValue, second: CelValue): CelResult {
  if (typeof first === 'number' && typeof second === 'number') {
    const sum = first + second;
    return Number.isSafeInteger(sum) ? sum : toInt(BigInt(first) + BigInt(second));
  }
  if (typeof first === 'string') return typeof second === 'string' ? first + second : noSuchOverload;
  if (isInt(first)) return isInt(second) ? toInt(BigInt(first) + BigInt(second)) : noSuchOverload;
  if (first instanceof CelList) return second instanceof CelList ? addLists(first, second) : noSuchOverload;
  if (first instanceof CelDouble) {
    return second instanceof CelDouble ? new CelDouble(first.value + second.value) : noSuchOverload;
  }
  if (first instanceof CelUint) return second instanceof CelUint ? toUint(first.value + second.value) : noSuchOverload;
  if (first instanceof Uint8Array) return second instanceof Uint8Array ? joinBytes(first, second) : noSuchOverload;
  if (first instanceof CelDuration) {
    if (second instanceof CelDuration) return toDuration(first.nanos + second.nanos);
    return second instanceof CelTimestamp ? addDuration(second, first.nanos) : noSuchOverload;
  }
  if (first instanceof CelTimestamp && second instanceof CelDuration) return addDuration(first, second.nanos);
  return noSuchOverload;
}

function addLists(first: CelList, second: CelList): CelList {
  if (first instanceof GatheredList) {
    first.add(second);
    return first;
  }
  if (second.size === 0) return first;
  if (first instanceof JsonList && first.listType !== 'atomic') {
    return uniteLists(first, second, (a, b) => areEqual(a, b) === true);
  }
  if (first.size === 0) return second;
  return new ConcatenatedList(first, second);
}

function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** `a - b`; an error for operands that are not subtracted, and when the difference is out of range. */
export function subtractValues(first: CelValue, second: CelValue): CelResult {
  if (typeof first === 'number' && typeof second === 'number') {
    const difference = first - second;
    return Number.isSafeInteger(difference) ? difference : toInt(BigInt(first) - BigInt(second));
  }
  if (isInt(first)) return isInt(second) ? toInt(BigInt(first) - BigInt(second)) : noSuchOverload;
  if (first instanceof CelDouble) {
    return second instanceof CelDouble ? new CelDouble(first.value - second.value) : noSuchOverload;
  }
  if (first instanceof CelUint) return second instanceof CelUint ? toUint(first.value - second.value) : noSuchOverload;
  if (first instanceof CelDuration) {
    return second instanceof CelDuration ? toDuration(first.nanos - second.nanos) : noSuchOverload;
  }
  if (!(first instanceof CelTimestamp)) return noSuchOverload;
  if (second instanceof CelDuration) {
    return isWithinInt(-second.nanos) ? addDuration(first, -second.nanos) : intOverflow;
  }
  if (!(second instanceof CelTimestamp)) return noSuchOverload;
  const seconds = BigInt(first.seconds - second.seconds) * nanosPerSecond;
  return isWithinInt(seconds) ? toDuration(seconds + BigInt(first.nanos - second.nanos)) : intOverflow;
}

/** `a * b`; an error for operands that are not multiplied, and when the product is out of range. */
export function multiplyValues(first: CelValue, second: CelValue): CelResult {
  if (typeof first === 'number' && typeof second === 'number') {
    const product = first * second;
    return Number.isSafeInteger(product) ? product + 0 : toInt(BigInt(first) * BigInt(second));
  }
  if (isInt(first)) return isInt(second) ? toInt(BigInt(first) * BigInt(second)) : noSuchOverload;
  if (first instanceof CelDouble) {
    return second instanceof CelDouble ? new CelDouble(first.value * second.value) : noSuchOverload;
  }
  if (first instanceof CelUint) return second instanceof CelUint ? toUint(first.value * second.value) : noSuchOverload;
  return noSuchOverload;
}

/** `a / b`, towards zero for integers; an error for operands that are not divided, and for a division by the integer 0. */
export function divideValues(first: CelValue, second: CelValue): CelResult {
  if (typeof first === 'number' && typeof second === 'number') {
    return second === 0 ? divisionByZero : (first - (first % second)) / second + 0;
  }
  if (isInt(first)) {
    if (!isInt(second)) return noSuchOverload;
    return second === 0 ? divisionByZero : toInt(BigInt(first) / BigInt(second));
  }
  if (first instanceof CelDouble) {
    return second instanceof CelDouble ? new CelDouble(first.value / second.value) : noSuchOverload;
  }
  if (!(first instanceof CelUint && second instanceof CelUint)) return noSuchOverload;
  return second.value === 0n ? divisionByZero : new CelUint(first.value / second.value);
}

/** `a % b`, with the sign of `a`; an error for operands that have no modulus, and for a modulus of 0. */
export function takeModulo(first: CelValue, second: CelValue): CelResult {
  if (typeof first === 'number' && typeof second === 'number') {
    return second === 0 ? modulusByZero : (first % second) + 0;
  }
  if (isInt(first)) {
    if (!isInt(second)) return noSuchOverload;
    if (second === 0) return modulusByZero;
    return first === -(2n ** 63n) && second === -1 ? intOverflow : toInt(BigInt(first) % BigInt(second));
  }
  if (!(first instanceof CelUint && second instanceof CelUint)) return noSuchOverload;
  return second.value === 0n ? modulusByZero : new CelUint(first.value % second.value);
}

/** `-a`; an error for an operand that has no negative, and when it is out of range. */
export function negateValue(value: CelValue): CelResult {
  if (typeof value === 'number') return 0 - value;
  if (typeof value === 'bigint') return toInt(-value);
  if (value instanceof CelDouble) return new CelDouble(-value.value);
  if (value instanceof CelDuration) return toDuration(-value.nanos);
  return noSuchOverload;
}
