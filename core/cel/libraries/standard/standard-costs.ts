import { CelOpaque, CelOptional, type CelResult } from '../../values/cel-value.ts';
import { measureSize } from '../../values/measure-size.ts';

const traversalFactor = 0.1;
const patternFactor = 0.25;

function measureOptional(value: CelResult | undefined): number {
  if (value instanceof CelOptional && value.value !== undefined) return measureOptional(value.value);
  return value === undefined ? 1 : measureSize(value);
}

/** Cost of reading the first argument once. */
export function costOfFirst([first]: readonly CelResult[]): number {
  return Math.ceil(measureOptional(first) * traversalFactor);
}

/** Cost of reading both arguments. */
export function costOfBoth([first, second]: readonly CelResult[]): number {
  return Math.ceil((measureOptional(first) + measureOptional(second)) * traversalFactor);
}

/** Cost of reading two arguments until one of them ends. */
export function costOfSmaller([first, second]: readonly CelResult[]): number {
  return Math.ceil(Math.min(measureOptional(first), measureOptional(second)) * traversalFactor);
}

/** Cost of `==`: a value of a library on the left is compared at once. */
export function costOfEquality(values: readonly CelResult[]): number {
  return values[0] instanceof CelOpaque ? 1 : costOfSmaller(values);
}

/** Cost of looking at each item of the second argument. */
export function costOfItems([, second]: readonly CelResult[]): number {
  return measureOptional(second);
}

/** Cost of looking for one text in another. */
export function costOfSearch([first, second]: readonly CelResult[]): number {
  return Math.ceil(measureOptional(first) * traversalFactor) * Math.ceil(measureOptional(second) * traversalFactor);
}

/** Cost of matching a text with a pattern. */
export function costOfMatch([text, pattern]: readonly CelResult[]): number {
  return Math.ceil((1 + measureOptional(text)) * traversalFactor) * Math.ceil(measureOptional(pattern) * patternFactor);
}
