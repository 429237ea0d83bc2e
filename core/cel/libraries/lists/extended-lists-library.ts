import { dynType, intType, makeListType, makeTypeParameter } from '../../types/cel-type.ts';
import { areEqual } from '../../values/are-equal.ts';
import { ArrayList } from '../../values/array-list.ts';
import { CelError, CelList, type CelResult, type CelValue } from '../../values/cel-value.ts';
import { compareValues } from '../../values/compare-values.ts';
import { isInt } from '../../values/integers.ts';
import { nameErasedType } from '../../types/format-cel-type.ts';
import { nameRuntimeType } from '../../values/runtime-type.ts';
import type { CelFunction, CelLibrary } from '../cel-library.ts';
import { makeFunction, type OverloadSpec } from '../make-function.ts';
import { measureFirst, measureTree } from '../measure-tree.ts';
import { sizeOfArgument, traversalFactor } from '../traversal-cost.ts';
import { ResultTooLarge } from '../strings/result-too-large.ts';
import { comparableTypes, isComparable } from './comparable-types.ts';

type Int = number | bigint;

const listOfT = makeListType(makeTypeParameter('T'));
const creationCost = 11;
const maxItems = 10_000_000;

function costOfResult(_values: readonly CelResult[], result: CelResult): number {
  return sizeOfArgument([result], 0) + creationCost;
}

function costOfFirst(values: readonly CelValue[]): number {
  return sizeOfArgument(values, 0) + creationCost;
}

function costOfSlice([list, start, end]: readonly CelValue[]): number {
  const isSliced = list instanceof CelList && isInt(start) && isInt(end) && start >= 0 && end <= list.size;
  return isSliced ? Math.max(0, Number(end) - Number(start)) + creationCost : 0;
}

function slice(list: CelList, start: Int, end: Int): CelResult {
  const refuse = (why: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0 || end < 0) return refuse('negative indexes not supported');
  if (start > end) return refuse('start index must be less than or equal to end index');
  if (list.size < end) return refuse(`list is length ${list.size}`);
  const items: CelValue[] = [];
  for (let i = Number(start); i < end; i++) items.push(list.at(i));
  return new ArrayList(items);
}

function gatherFlat(list: CelList, depth: number, items: CelValue[]): void {
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (item instanceof CelList && depth > 0) gatherFlat(item, depth - 1, items);
    else items.push(item);
    if (items.length > maxItems) throw new ResultTooLarge();
  }
}

function flatten(list: CelValue, ...depths: readonly CelValue[]): CelResult {
  const [depth = 1] = depths;
  if (!(list instanceof CelList) || !isInt(depth)) {
    const names = depths.map(nameRuntimeType).join(', ');
    return new CelError(`no such overload: ${nameRuntimeType(list)}.flatten(${names})`);
  }
  if (depth < 0) return new CelError('level must be non-negative');
  const items: CelValue[] = [];
  gatherFlat(list, Number(depth), items);
  return new ArrayList(items);
}

function costOfFlatten(values: readonly CelResult[]): number {
  const depth = typeof values[1] === 'number' || typeof values[1] === 'bigint' ? Number(values[1]) : 1;
  const cost = Math.trunc(sizeOfArgument(values, 0) * depth) + creationCost;
  // Below zero Kubernetes' unsigned number wraps around, and gives back what was spent before.
  return Math.max(0, cost);
}

function sort(list: CelValue): CelResult {
  return list instanceof CelList ? sortByKeys(list, list) : new CelError('no such overload: sort');
}

function sortByAssociatedKeys(list: CelValue, keys: CelValue): CelResult {
  if (list instanceof CelList && keys instanceof CelList) return sortByKeys(list, keys);
  return new CelError('no such overload: @sortByAssociatedKeys');
}

function sortByKeys(list: CelList, keys: CelList): CelResult {
  if (list.size !== keys.size) {
    const expected = '@sortByAssociatedKeys() expected a list of the same size as the associated keys list';
    return new CelError(`${expected}, but got ${list.size} and ${keys.size} elements respectively`);
  }
  if (list.size === 0) return list;
  const first = keys.at(0);
  if (!isComparable(first)) return new CelError('list elements must be comparable');
  const type = nameRuntimeType(first);
  const order = Array.from({ length: list.size }, (_, i) => ({ item: list.at(i), key: keys.at(i) }));
  if (order.some(({ key }) => nameRuntimeType(key) !== type)) {
    return new CelError('list elements must have the same type');
  }
  order.sort((a, b) => (compareValues(a.key, b.key) === -1 ? -1 : compareValues(b.key, a.key) === -1 ? 1 : 0));
  return new ArrayList(order.map(({ item }) => item));
}

function range(end: Int): CelResult {
  if (end > maxItems) throw new ResultTooLarge();
  return new ArrayList(Array.from({ length: Math.max(0, Number(end)) }, (_, i) => i));
}

function reverse(list: CelList): CelResult {
  const items: CelValue[] = [];
  for (let i = list.size - 1; i >= 0; i--) items.push(list.at(i));
  return new ArrayList(items);
}

function distinct(list: CelList): CelResult {
  if (list.size === 0) return list;
  const unique: CelValue[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (!unique.some((other) => areEqual(item, other) === true)) unique.push(item);
  }
  return new ArrayList(unique);
}

function costOfSelfComparison(list: CelResult | undefined): number {
  const size = list === undefined ? 0 : sizeOfArgument([list], 0);
  const first = list instanceof CelList && list.size > 0 ? list.at(0) : undefined;
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + traversalFactor : 2;
  return Math.floor(size * size * factor) + creationCost;
}

/** Comparisons of a sort, 100 ns each. */
function estimateSort([list]: readonly CelValue[]): number {
  return list instanceof CelList ? list.size * Math.ceil(Math.log2(list.size + 1)) : 0;
}

/** Comparisons of each item with each, which may be lists that share much. */
function estimateDistinct([list]: readonly CelValue[], limit: number): number {
  if (!(list instanceof CelList) || list.size === 0) return 0;
  const workPerValue = list.size / 10;
  return measureTree(list, limit / workPerValue) * workPerValue;
}

function makeSorts(): CelFunction[] {
  const sorts: OverloadSpec[] = comparableTypes.map(([, type]) => ({
    id: `list_${nameErasedType(type)}_sort`,
    isMember: true,
    parameters: [makeListType(type)],
    result: makeListType(type),
    call: sort,
    cost: ([list]) => costOfSelfComparison(list),
  }));
  const keyedSorts: OverloadSpec[] = comparableTypes.map(([, type]) => ({
    id: `list_${nameErasedType(type)}_sortByAssociatedKeys`,
    isMember: true,
    parameters: [listOfT, makeListType(type)],
    result: listOfT,
    call: sortByAssociatedKeys,
    cost: ([, keys]) => costOfSelfComparison(keys),
  }));
  return [
    { ...makeFunction('sort', sorts), isSingleton: true, work: estimateSort },
    { ...makeFunction('@sortByAssociatedKeys', keyedSorts), isSingleton: true, work: estimateSort },
  ];
}

/** cel-go's `cel.lib.ext.lists`, version 3; expressions that are new may not use it in Kubernetes 1.34. */
export const extendedListsLibrary: CelLibrary = {
  name: 'cel.lib.ext.lists',
  functions: [
    {
      ...makeFunction('slice', [
        {
          id: 'list_slice',
          isMember: true,
          parameters: [listOfT, intType, intType],
          result: listOfT,
          call: slice,
          cost: costOfResult,
        },
      ]),
      estimate: costOfSlice,
    },
    {
      ...makeFunction('flatten', [
        {
          id: 'list_flatten',
          isMember: true,
          parameters: [makeListType(listOfT)],
          result: listOfT,
          call: flatten,
          cost: costOfFlatten,
        },
        {
          id: 'list_flatten_int',
          isMember: true,
          parameters: [makeListType(dynType), intType],
          result: makeListType(dynType),
          call: flatten,
          cost: costOfFlatten,
        },
      ]),
      isUnguarded: true,
      estimate: costOfFlatten,
      work: measureFirst,
    },
    ...makeSorts(),
    {
      ...makeFunction('lists.range', [
        {
          id: 'lists_range',
          isMember: false,
          parameters: [intType],
          result: makeListType(intType),
          call: range,
          cost: costOfResult,
        },
      ]),
      estimate: ([end]) => (typeof end === 'number' && end > 0 ? end + creationCost : 0),
    },
    {
      ...makeFunction('reverse', [
        {
          id: 'list_reverse',
          isMember: true,
          parameters: [listOfT],
          result: listOfT,
          call: reverse,
          cost: costOfResult,
        },
      ]),
      estimate: costOfFirst,
    },
    {
      ...makeFunction('distinct', [
        {
          id: 'list_distinct',
          isMember: true,
          parameters: [listOfT],
          result: listOfT,
          call: distinct,
          cost: ([list]) => costOfSelfComparison(list),
        },
      ]),
      estimate: ([list]) => costOfSelfComparison(list),
      work: estimateDistinct,
    },
  ],
};
