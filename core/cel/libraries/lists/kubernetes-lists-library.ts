import { boolType, intType, makeListType, makeTypeParameter } from '../../types/cel-type.ts';
import { areEqual } from '../../values/are-equal.ts';
import { addValues } from '../../values/arithmetic.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  type CelList,
  type CelResult,
  CelUint,
  type CelValue,
} from '../../values/cel-value.ts';
import { compareValues } from '../../values/compare-values.ts';
import type { CelFunction, CelLibrary } from '../cel-library.ts';
import { costByName, makeFunction } from '../make-function.ts';
import { measureFirst } from '../measure-tree.ts';
import { costOfWalkingFirst } from '../traversal-cost.ts';
import { comparableTypes, isComparable } from './comparable-types.ts';

const typeA = makeTypeParameter('A');
const noSuchOverload = new CelError('no such overload');

function isSorted(list: CelList): CelResult {
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (!isComparable(item)) return noSuchOverload;
    // What cannot be compared counts as sorted.
    if (i > 0 && compareValues(list.at(i - 1), item) === 1) return false;
  }
  return true;
}

function sum(list: CelList, zero: CelValue): CelResult {
  let total: CelValue = zero;
  for (let i = 0; i < list.size; i++) {
    const next = addValues(total, list.at(i));
    if (next instanceof CelError) return next;
    total = next;
  }
  return total;
}

function pick(list: CelList, name: string, unwanted: -1 | 1): CelResult {
  let best: CelValue | undefined;
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (!isComparable(item)) return noSuchOverload;
    if (best === undefined || compareValues(best, item) === unwanted) best = item;
  }
  return best ?? new CelError(`${name} called on empty list`);
}

function indexOf(list: CelList, item: CelValue): number {
  for (let i = 0; i < list.size; i++) if (areEqual(list.at(i), item) === true) return i;
  return -1;
}

function lastIndexOf(list: CelList, item: CelValue): number {
  for (let i = list.size - 1; i >= 0; i--) if (areEqual(list.at(i), item) === true) return i;
  return -1;
}

const zeros: Readonly<Record<string, CelValue>> = {
  int: 0,
  uint: new CelUint(0n),
  double: new CelDouble(0),
  duration: new CelDuration(0n),
};

function makePick(name: 'min' | 'max', unwanted: -1 | 1): CelFunction {
  const overloads = comparableTypes.map(([typeName, type]) => ({
    id: `list_${typeName}_${name}_${typeName}`,
    isMember: true,
    parameters: [makeListType(type)],
    result: type,
    call: (list: CelList) => pick(list, name, unwanted),
  }));
  return walkFirst(makeFunction(name, overloads));
}

/** The function with the cost, and the work, of a walk through its first argument. */
function walkFirst(fn: CelFunction): CelFunction {
  return { ...costByName(fn, costOfWalkingFirst), work: measureFirst };
}

function makeSearch(name: string, id: string, call: (list: CelList, item: CelValue) => number): CelFunction {
  const parameters = [makeListType(typeA), typeA];
  const fn = makeFunction(name, [{ id, isMember: true, parameters, result: intType, call }]);
  return walkFirst(fn);
}

/** Kubernetes' `kubernetes.lists`. */
export const kubernetesListsLibrary: CelLibrary = {
  name: 'kubernetes.lists',
  functions: [
    walkFirst(
      makeFunction(
        'isSorted',
        comparableTypes.map(([name, type]) => ({
          id: `list_${name}_is_sorted_bool`,
          isMember: true,
          parameters: [makeListType(type)],
          result: boolType,
          call: isSorted,
        })),
      ),
    ),
    walkFirst(
      makeFunction(
        'sum',
        comparableTypes.flatMap(([name, type]) => {
          const zero = zeros[name];
          if (zero === undefined) return [];
          const call = (list: CelList): CelResult => sum(list, zero);
          return [
            { id: `list_${name}_sum_${name}`, isMember: true, parameters: [makeListType(type)], result: type, call },
          ];
        }),
      ),
    ),
    makePick('max', -1),
    makePick('min', 1),
    makeSearch('indexOf', 'list_a_index_of_int', indexOf),
    makeSearch('lastIndexOf', 'list_a_last_index_of_int', lastIndexOf),
  ],
};
