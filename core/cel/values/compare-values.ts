import { CelDouble, CelDuration, CelError, CelTimestamp, CelUint, type CelValue } from './cel-value.ts';
import { toNumber } from './integers.ts';

type Order = -1 | 0 | 1;

const noSuchOverload = new CelError('no such overload');
const noOrder = new CelError('NaN values cannot be ordered');

/** The order of two texts by code points. */
export function compareTexts(first: string, second: string): Order {
  const length = Math.min(first.length, second.length);
  for (let index = 0; index < length; index++) {
    const a = first.charCodeAt(index);
    const b = second.charCodeAt(index);
    if (a === b) continue;
    // A surrogate stands for a code point beyond every other unit's.
    if (isSurrogate(a) !== isSurrogate(b)) return isSurrogate(a) ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return order(first.length, second.length);
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

function order<T extends number | bigint>(first: T, second: T): Order {
  return first < second ? -1 : first > second ? 1 : 0;
}

function reverse(value: Order): Order {
  return value === 0 ? 0 : value === 1 ? -1 : 1;
}

function compareDoubleToInt(first: number, second: number | bigint): Order {
  if (first < -(2 ** 63)) return -1;
  if (first > 2 ** 63) return 1;
  return order(first, toNumber(second));
}

function compareDoubleToUint(first: number, second: bigint): Order {
  if (first < 0) return -1;
  if (first > 2 ** 64) return 1;
  return order(first, Number(second));
}

/** The order of two numbers of any types, as cel-go has it; `undefined`: one of them is none. NaN compares to nothing: an error. */
export function compareNumbers(first: CelValue, second: CelValue): Order | CelError | undefined {
  if (typeof first === 'number' && typeof second === 'number') return order(first, second);
  if (first instanceof CelDouble) {
    if (second instanceof CelDouble) {
      return Number.isNaN(first.value) || Number.isNaN(second.value) ? noOrder : order(first.value, second.value);
    }
    if (Number.isNaN(first.value)) return noOrder;
    if (second instanceof CelUint) return compareDoubleToUint(first.value, second.value);
    return typeof second === 'number' || typeof second === 'bigint'
      ? compareDoubleToInt(first.value, second)
      : undefined;
  }
  if (second instanceof CelDouble) {
    const reversed = compareNumbers(second, first);
    return typeof reversed === 'number' ? reverse(reversed) : reversed;
  }
  const a = toWhole(first);
  const b = toWhole(second);
  return a === undefined || b === undefined ? undefined : a < b ? -1 : a > b ? 1 : 0;
}

function toWhole(value: CelValue): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof CelUint ? value.value : undefined;
}

function compareBytes(first: Uint8Array, second: Uint8Array): Order {
  const length = Math.min(first.length, second.length);
  for (let index = 0; index < length; index++) {
    if (first[index] !== second[index]) return first[index]! < second[index]! ? -1 : 1;
  }
  return order(first.length, second.length);
}

/** The order of two values of one type, or of two numbers of any; an error for others and for NaN. */
export function compareValues(first: CelValue, second: CelValue): Order | CelError {
  if (typeof first === 'string') return typeof second === 'string' ? compareTexts(first, second) : noSuchOverload;
  if (typeof first === 'boolean') {
    return typeof second === 'boolean' ? order(Number(first), Number(second)) : noSuchOverload;
  }
  if (first instanceof CelTimestamp) {
    if (!(second instanceof CelTimestamp)) return noSuchOverload;
    return first.seconds === second.seconds ? order(first.nanos, second.nanos) : order(first.seconds, second.seconds);
  }
  if (first instanceof CelDuration) {
    return second instanceof CelDuration ? order(first.nanos, second.nanos) : noSuchOverload;
  }
  if (first instanceof Uint8Array) return second instanceof Uint8Array ? compareBytes(first, second) : noSuchOverload;
  // A NaN on the left is found before the type of the right is looked at.
  if (first instanceof CelDouble && Number.isNaN(first.value)) return noOrder;
  return compareNumbers(first, second) ?? noSuchOverload;
}
