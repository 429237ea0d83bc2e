import { boolType, doubleType, intType, makeObjectType, stringType, type CelType } from '../types/cel-type.ts';
import { CelDouble, CelError, CelOpaque, type CelResult, type CelValue } from '../values/cel-value.ts';
import { toCanonicalInt } from '../values/integers.ts';
import type { CelFunction, CelLibrary } from './cel-library.ts';
import { costByName, makeFunction, type Call } from './make-function.ts';
import {
  addAmounts,
  compareAmounts,
  parseQuantityAmount,
  subtractAmounts,
  type QuantityAmount,
  toApproximateNumber,
  toInt64,
} from './quantity-amount.ts';
import { rememberTexts } from './remember-texts.ts';
import { costOfReading } from './traversal-cost.ts';

const quantityType = makeObjectType('kubernetes.Quantity');

class QuantityValue extends CelOpaque {
  readonly type = quantityType;
  readonly amount: QuantityAmount;

  constructor(amount: QuantityAmount) {
    super();
    this.amount = amount;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof QuantityValue)) return new CelError('no such overload');
    return compareAmounts(this.amount, other.amount) === 0;
  }
}

const convertToQuantity = rememberTexts((text): QuantityValue | CelError => {
  const amount = parseQuantityAmount(text);
  return 'fault' in amount ? new CelError(amount.fault) : new QuantityValue(amount);
});

function toInteger({ amount }: QuantityValue): CelResult {
  const integer = toInt64(amount);
  return integer === undefined ? new CelError('cannot convert value to integer') : toCanonicalInt(integer);
}

function toAmount(integer: number | bigint): QuantityAmount {
  return { value: BigInt(integer), scale: 0, isQuick: true };
}

function makeMember(name: string, id: string, result: CelType, call: Call, ...others: CelType[]): CelFunction {
  return makeFunction(name, [{ id, isMember: true, parameters: [quantityType, ...others], result, call }]);
}

function makeSum(name: 'add' | 'sub', sum: (a: QuantityAmount, b: QuantityAmount) => QuantityAmount): CelFunction {
  return makeFunction(name, [
    {
      id: `quantity_${name}`,
      isMember: true,
      parameters: [quantityType, quantityType],
      result: quantityType,
      call: (a: QuantityValue, b: QuantityValue) => new QuantityValue(sum(a.amount, b.amount)),
    },
    {
      id: `quantity_${name}_int`,
      isMember: true,
      parameters: [quantityType, intType],
      result: quantityType,
      call: (a: QuantityValue, b: number | bigint) => new QuantityValue(sum(a.amount, toAmount(b))),
    },
  ]);
}

/** Kubernetes' `kubernetes.quantity`. */
export const quantityLibrary: CelLibrary = {
  name: 'kubernetes.quantity',
  functions: [
    costByName(
      makeFunction('quantity', [
        {
          id: 'string_to_quantity',
          isMember: false,
          parameters: [stringType],
          result: quantityType,
          call: convertToQuantity,
        },
      ]),
      costOfReading,
    ),
    costByName(
      makeFunction('isQuantity', [
        {
          id: 'is_quantity_string',
          isMember: false,
          parameters: [stringType],
          result: boolType,
          call: (text: string) => !(convertToQuantity(text) instanceof CelError),
        },
      ]),
      costOfReading,
    ),
    makeFunction('sign', [
      {
        id: 'quantity_sign',
        isMember: false,
        parameters: [quantityType],
        result: intType,
        call: ({ amount }: QuantityValue) => compareAmounts(amount, toAmount(0)),
      },
    ]),
    makeMember(
      'isGreaterThan',
      'quantity_is_greater_than',
      boolType,
      (a: QuantityValue, b: QuantityValue) => compareAmounts(a.amount, b.amount) > 0,
      quantityType,
    ),
    makeMember(
      'isLessThan',
      'quantity_is_less_than',
      boolType,
      (a: QuantityValue, b: QuantityValue) => compareAmounts(a.amount, b.amount) < 0,
      quantityType,
    ),
    makeMember(
      'compareTo',
      'quantity_compare_to',
      intType,
      (a: QuantityValue, b: QuantityValue) => compareAmounts(a.amount, b.amount),
      quantityType,
    ),
    makeMember(
      'asApproximateFloat',
      'quantity_get_float',
      doubleType,
      ({ amount }: QuantityValue) => new CelDouble(toApproximateNumber(amount)),
    ),
    makeMember('asInteger', 'quantity_get_int', intType, toInteger),
    makeMember(
      'isInteger',
      'quantity_is_integer',
      boolType,
      ({ amount }: QuantityValue) => toInt64(amount) !== undefined,
    ),
    makeSum('add', addAmounts),
    makeSum('sub', subtractAmounts),
  ],
};
