import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { compareQuantities, isQuantityFault, parseQuantity } from '../../quantity/quantity.ts';
import {
  addAmounts,
  compareAmounts,
  parseQuantityAmount,
  subtractAmounts,
  type QuantityAmount,
} from './quantity-amount.ts';

const digits = fc.array(fc.constantFrom('0', '1', '5', '9'), { maxLength: 22 }).map((parts) => parts.join(''));
const suffix = fc.constantFrom('', 'm', 'u', 'n', 'k', 'M', 'E', 'Ki', 'Gi', 'Ei', 'e3', 'E-2', 'e30', 'x', 'e');
const text = fc
  .tuple(fc.constantFrom('', '-', '+'), digits, fc.constantFrom('', '.'), digits, suffix)
  .map((parts) => parts.join(''));

function read(of: string): QuantityAmount | undefined {
  const amount = parseQuantityAmount(of);
  return 'fault' in amount ? undefined : amount;
}

describe('parseQuantityAmount', () => {
  it('takes what quantities take, for the same', () => {
    fc.assert(
      fc.property(text, (of) => {
        const quantity = parseQuantity(of);
        const amount = parseQuantityAmount(of);
        if (isQuantityFault(quantity)) expect(amount).toEqual(quantity);
        else expect(amount).toSatisfy((value: QuantityAmount) => isSame(value, quantity));
      }),
    );
  });
});

function isSame({ value, scale }: QuantityAmount, quantity: Parameters<typeof compareQuantities>[0]): boolean {
  return compareQuantities({ unscaled: value, scale, format: 'DecimalSI' }, quantity) === 0;
}

describe('amounts', () => {
  it('are what they were after something is added and taken away', () => {
    fc.assert(
      fc.property(text, text, (first, second) => {
        const [a, b] = [read(first), read(second)];
        fc.pre(a !== undefined && b !== undefined);
        expect(compareAmounts(subtractAmounts(addAmounts(a, b), b), a)).toBe(0);
        expect(compareAmounts(a, b) + compareAmounts(b, a)).toBe(0);
      }),
    );
  });
});
