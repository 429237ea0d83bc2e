import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  makeListType,
  makeMapType,
  makeTypeParameter,
  stringType,
  timestampType,
  uintType,
  type CelType,
} from '../../types/cel-type.ts';
import { areEqual, containsValue } from '../../values/are-equal.ts';
import {
  addValues,
  divideValues,
  multiplyValues,
  negateValue,
  noSuchOverload,
  subtractValues,
  takeModulo,
} from '../../values/arithmetic.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelTimestamp,
  CelUint,
  type CelResult,
  type CelValue,
} from '../../values/cel-value.ts';
import { compareValues } from '../../values/compare-values.ts';
import { isInt } from '../../values/integers.ts';
import type { CelFunction } from '../cel-library.ts';
import { declareSingleton, nameInError, type Implementation, type OverloadRow } from './declare-overloads.ts';
import { costOfBoth, costOfEquality, costOfItems, costOfSmaller } from './standard-costs.ts';

const parameterA = makeTypeParameter('A');
const parameterB = makeTypeParameter('B');
const listOfA = makeListType(parameterA);
const mapOfAB = makeMapType(parameterA, parameterB);

function isNumber(value: CelValue): boolean {
  return isInt(value) || value instanceof CelUint || value instanceof CelDouble;
}

function isInteger(value: CelValue): boolean {
  return isInt(value) || value instanceof CelUint;
}

function isTime(value: CelValue): boolean {
  return value instanceof CelTimestamp || value instanceof CelDuration;
}

function isAddable(value: CelValue): boolean {
  return (
    isNumber(value) ||
    isTime(value) ||
    typeof value === 'string' ||
    value instanceof Uint8Array ||
    value instanceof CelList
  );
}

function isNegatable(value: CelValue): boolean {
  return isInt(value) || value instanceof CelDouble || value instanceof CelDuration || typeof value === 'boolean';
}

function isOrdered(value: CelValue): boolean {
  return (
    isNumber(value) || isTime(value) || ['string', 'boolean'].includes(typeof value) || value instanceof Uint8Array
  );
}

/** `a == b`; an error as the values of a library have one. */
function equals(first: CelValue, second: CelValue): CelResult {
  return areEqual(first, second);
}

/** `a != b`; values that cannot be compared are different. */
function differs(first: CelValue, second: CelValue): CelResult {
  return areEqual(first, second) !== true;
}

/** `a in b` of a list or a map. */
function isIn(value: CelValue, container: CelValue): CelResult {
  if (container instanceof CelList) return containsValue(container, value);
  return container instanceof CelMap ? container.has(value) : noSuchOverload;
}

/** `!a` */
function not(value: CelValue): CelResult {
  return typeof value === 'boolean' ? !value : noSuchOverload;
}

function declareArithmetic(
  name: string,
  isKnown: (value: CelValue) => boolean,
  call: Implementation,
  rows: readonly OverloadRow[],
): CelFunction {
  return declareSingleton(name, nameInError(name, isKnown, call), rows);
}

function declareOrder(name: string, prefix: string, holds: (order: number) => boolean): CelFunction {
  const call = nameInError(name, isOrdered, (first, second) => {
    const order = compareValues(first, second);
    if (typeof order === 'number') return holds(order);
    return order.message === noSuchOverload.message ? noSuchOverload : order;
  });
  const numbers: readonly (readonly [string, CelType])[] = [
    ['int64', intType],
    ['uint64', uintType],
    ['double', doubleType],
  ];
  const mixed = numbers.flatMap(([first, firstType]) =>
    numbers.map(([second, secondType]): OverloadRow => [
      first === second ? `${prefix}_${first}` : `${prefix}_${first}_${second}`,
      [firstType, secondType],
      boolType,
    ]),
  );
  const row = (suffix: string, type: CelType, cost?: OverloadRow[3]): OverloadRow => [
    `${prefix}_${suffix}`,
    [type, type],
    boolType,
    cost,
  ];
  return declareSingleton(name, call, [
    row('bool', boolType),
    ...mixed,
    row('string', stringType, costOfSmaller),
    row('bytes', bytesType, costOfSmaller),
    row('timestamp', timestampType),
    row('duration', durationType),
  ]);
}

function rowOf(id: string, type: CelType, cost?: OverloadRow[3]): OverloadRow {
  return [id, [type, type], type, cost];
}

/** What `-a` is; a bool has no negative. */
const negate: Implementation = (value) => (typeof value === 'boolean' ? noSuchOverload : negateValue(value));

/** The operators of the language. What the planner does itself (`_&&_`, `_?_:_`, `_[_]`) has no implementation here. */
export const operatorFunctions: readonly CelFunction[] = [
  declareSingleton('_?_:_', undefined, [['conditional', [boolType, parameterA, parameterA], parameterA]]),
  declareSingleton('_&&_', undefined, [['logical_and', [boolType, boolType], boolType]]),
  declareSingleton('_||_', undefined, [['logical_or', [boolType, boolType], boolType]]),
  declareSingleton('!_', not, [['logical_not', [boolType], boolType]]),
  {
    name: '@not_strictly_false',
    overloads: [{ id: 'not_strictly_false', isMember: false, parameters: [boolType], result: boolType }],
  },
  declareSingleton('_==_', equals, [['equals', [parameterA, parameterA], boolType, costOfEquality]]),
  declareSingleton('_!=_', differs, [['not_equals', [parameterA, parameterA], boolType, costOfSmaller]]),
  declareArithmetic('_+_', isAddable, addValues, [
    rowOf('add_bytes', bytesType, costOfBoth),
    rowOf('add_double', doubleType),
    rowOf('add_duration_duration', durationType),
    ['add_duration_timestamp', [durationType, timestampType], timestampType],
    ['add_timestamp_duration', [timestampType, durationType], timestampType],
    rowOf('add_int64', intType),
    rowOf('add_list', listOfA),
    rowOf('add_string', stringType, costOfBoth),
    rowOf('add_uint64', uintType),
  ]),
  declareArithmetic('_/_', isNumber, divideValues, [
    rowOf('divide_double', doubleType),
    rowOf('divide_int64', intType),
    rowOf('divide_uint64', uintType),
  ]),
  declareArithmetic('_%_', isInteger, takeModulo, [rowOf('modulo_int64', intType), rowOf('modulo_uint64', uintType)]),
  declareArithmetic('_*_', isNumber, multiplyValues, [
    rowOf('multiply_double', doubleType),
    rowOf('multiply_int64', intType),
    rowOf('multiply_uint64', uintType),
  ]),
  declareArithmetic('-_', isNegatable, negate, [
    ['negate_double', [doubleType], doubleType],
    ['negate_int64', [intType], intType],
  ]),
  declareArithmetic('_-_', (value) => isNumber(value) || isTime(value), subtractValues, [
    rowOf('subtract_double', doubleType),
    rowOf('subtract_duration_duration', durationType),
    rowOf('subtract_int64', intType),
    ['subtract_timestamp_duration', [timestampType, durationType], timestampType],
    ['subtract_timestamp_timestamp', [timestampType, timestampType], durationType],
    rowOf('subtract_uint64', uintType),
  ]),
  declareOrder('_<_', 'less', (order) => order < 0),
  declareOrder('_<=_', 'less_equals', (order) => order <= 0),
  declareOrder('_>_', 'greater', (order) => order > 0),
  declareOrder('_>=_', 'greater_equals', (order) => order >= 0),
  declareSingleton('_[_]', undefined, [
    ['index_list', [listOfA, intType], parameterA],
    ['index_map', [mapOfAB, parameterA], parameterB],
  ]),
  declareSingleton('@in', isIn, [
    ['in_list', [parameterA, listOfA], boolType, costOfItems],
    ['in_map', [parameterA, mapOfAB], boolType],
  ]),
];
