import { countBytes } from '../../validation/names.ts';
import type { CelResult } from '../values/cel-value.ts';
import { sumTree } from './measure-tree.ts';
import { measureSize } from '../values/measure-size.ts';

/** Kubernetes' charge for each code point that is read. */
export const traversalFactor = 0.1;
const patternFactor = 0.25;

/** Cost of reading the first argument once. */
export function costOfReading(values: readonly CelResult[]): number {
  return Math.ceil(sizeOfArgument(values, 0) * traversalFactor);
}

/** Cost of reading the first argument twice. */
export function costOfReadingTwice(values: readonly CelResult[]): number {
  return Math.ceil(sizeOfArgument(values, 0) * 2 * traversalFactor);
}

/** Size of an argument in Kubernetes' units; 1 when it has none. */
export function sizeOfArgument(values: readonly CelResult[], index: number): number {
  const value = values[index];
  return value === undefined ? 1 : measureSize(value);
}

/** Cost of matching a text of `size` code points against a pattern of `patternSize`. */
export function costOfMatching(size: number, patternSize: number): number {
  return Math.ceil((1 + size) * traversalFactor) * Math.ceil(patternSize * patternFactor);
}

function countUtf8(text: string): number {
  return isAscii(text) ? text.length : countBytes(text);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function costOfLeaf(value: CelResult): number {
  if (typeof value === 'string') return Math.floor(countUtf8(value) * traversalFactor);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversalFactor);
  return 1;
}

/** Cost of walking through the first argument with all that is in it; texts count by their bytes. */
export function costOfWalkingFirst(values: readonly CelResult[]): number {
  return values[0] === undefined ? 0 : sumTree(values[0], 0, costOfLeaf);
}
