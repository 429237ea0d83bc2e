import { boolType, makeListType, makeTypeParameter } from '../types/cel-type.ts';
import { containsValue } from '../values/are-equal.ts';
import { CelList, type CelResult, type CelValue } from '../values/cel-value.ts';
import type { CelFunction, CelLibrary } from './cel-library.ts';
import { makeFunction } from './make-function.ts';
import { measureTree } from './measure-tree.ts';
import { sizeOfArgument } from './traversal-cost.ts';

const listType = makeListType(makeTypeParameter('T'));

function some(list: CelList, test: (index: number) => boolean): boolean {
  for (let i = 0; i < list.size; i++) if (test(i)) return true;
  return false;
}

function contains(list: CelList, part: CelList): boolean {
  return !some(part, (i) => !containsValue(list, part.at(i)));
}

function intersects(a: CelList, b: CelList): boolean {
  return some(a, (i) => containsValue(b, a.at(i)));
}

/** Comparisons of each item with each, which may be lists that share much. */
function estimateComparisons([a, b]: readonly CelValue[], limit: number): number {
  return a instanceof CelList && b instanceof CelList ? estimateEach(a, b, limit) + estimateEach(b, a, limit) : 0;
}

function estimateEach(list: CelList, others: CelList, limit: number): number {
  const workPerValue = others.size / 10;
  return workPerValue === 0 ? 0 : measureTree(list, limit / workPerValue) * workPerValue;
}

function makeTest(name: string, factor: number, call: (a: CelList, b: CelList) => boolean): CelFunction {
  const cost = (values: readonly CelResult[]): number =>
    1 + sizeOfArgument(values, 0) * sizeOfArgument(values, 1) * factor;
  const id = `list_sets_${name}_list`;
  const fn = makeFunction(`sets.${name}`, [
    { id, isMember: false, parameters: [listType, listType], result: boolType, call, cost },
  ]);
  return { ...fn, estimate: cost, work: estimateComparisons };
}

/** cel-go's `cel.lib.ext.sets`. */
export const setsLibrary: CelLibrary = {
  name: 'cel.lib.ext.sets',
  functions: [
    makeTest('contains', 1, contains),
    makeTest('equivalent', 2, (a, b) => contains(a, b) && contains(b, a)),
    makeTest('intersects', 1, intersects),
  ],
};
