import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isQuantityFault,
  isZeroQuantity,
  parseQuantity,
  type Quantity,
  quantityFromInteger,
  quantityFromMilli,
  quantityToInteger,
  quantityToMilli,
  readQuantity,
  roundUpQuantity,
  signOfQuantity,
  subtractQuantities,
} from './quantity.ts';
import rows from './testdata/quantities.json' with { type: 'json' };

interface Row {
  text: string;
  fault?: string;
  formatted?: string;
  format?: string;
  canonical?: string;
}

const zero = quantityFromInteger(0);
const quantities: fc.Arbitrary<Quantity> = fc
  .record({
    unscaled: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
    scale: fc.integer({ min: -9, max: 12 }),
    format: fc.constantFrom('DecimalSI' as const, 'BinarySI' as const, 'DecimalExponent' as const),
  })
  .filter(
    ({ unscaled, scale, format }) =>
      format !== 'BinarySI' || (unscaled < 0n ? -unscaled : unscaled) * 10n ** BigInt(scale + 9) < 10n ** 27n,
  );

/** The value in nano-units, which every quantity is a whole number of. */
function toNano(quantity: Quantity): bigint {
  return quantity.unscaled * 10n ** BigInt(quantity.scale + 9);
}

describe('parseQuantity', () => {
  // The rows are what Kubernetes' own parser and printer answer.
  it.for(rows as Row[])('reads and writes $text', (row) => {
    const quantity = parseQuantity(row.text);
    if (isQuantityFault(quantity)) {
      expect(quantity).toEqual({ fault: row.fault });
      return;
    }
    expect(formatQuantity(quantity)).toBe(row.formatted);
    expect(quantity.format).toBe(row.format);
    expect(formatQuantity(addQuantities(quantity, zero))).toBe(row.canonical);
  });

  it('never writes a number beyond the greatest suffix as another number', () => {
    expect(formatQuantity(readQuantity('1000E'))).toBe('1000E');
    expect(formatQuantity({ unscaled: 2n ** 70n, scale: 0, format: 'BinarySI' })).toBe('1024Ei');
  });

  it.for(['1e100000', `1${'0'.repeat(2000)}`])('refuses numbers that nobody can add: %s', (text) => {
    expect(isQuantityFault(parseQuantity(text))).toBe(true);
  });

  it('takes any exponent far below a nano-unit', () => {
    expect(formatQuantity(readQuantity('1e-2000000000'))).toBe('1e-9');
  });
});

describe('readQuantity', () => {
  it('throws on a text that is no quantity', () => {
    expect(() => readQuantity('a')).toThrow(RangeError);
  });
});

describe('arithmetic', () => {
  it('reads back what it writes, with the same value and text', () => {
    fc.assert(
      fc.property(quantities, (quantity) => {
        const text = formatQuantity(quantity);
        const again = readQuantity(text);
        expect(toNano(again)).toBe(toNano(quantity));
        // A binary quantity without a binary suffix reads back as a decimal one.
        if (quantity.format !== 'BinarySI') expect(formatQuantity(again)).toBe(text);
      }),
    );
  });

  it('adds and subtracts exactly', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(toNano(addQuantities(a, b))).toBe(toNano(a) + toNano(b));
        expect(toNano(subtractQuantities(a, b))).toBe(toNano(a) - toNano(b));
        expect(toNano(subtractQuantities(addQuantities(a, b), b))).toBe(toNano(a));
      }),
    );
  });

  it('orders by value, whatever the notation', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        const expected = toNano(a) < toNano(b) ? -1 : toNano(a) > toNano(b) ? 1 : 0;
        expect(compareQuantities(a, b)).toBe(expected);
        expect(compareQuantities(b, a)).toBe(expected === 0 ? 0 : -expected);
        expect(signOfQuantity(a)).toBe(compareQuantities(a, zero));
        expect(isZeroQuantity(a)).toBe(compareQuantities(a, zero) === 0);
      }),
    );
  });

  it('rounds away from zero, by less than one unit', () => {
    fc.assert(
      fc.property(quantities, (quantity) => {
        const exact = toNano(quantity);
        for (const [rounded, unit] of [
          [quantityToMilli(quantity), 10n ** 6n],
          [quantityToInteger(quantity), 10n ** 9n],
        ] as const) {
          const difference = rounded * unit - exact;
          expect(exact >= 0n ? difference >= 0n && difference < unit : difference <= 0n && difference > -unit).toBe(
            true,
          );
        }
      }),
    );
  });

  it.for([
    ['1Gi', '500M', '1573741824'],
    ['500M', '1Gi', '1573741824'],
    ['1Gi', '1Gi', '2Gi'],
    ['100m', '900m', '1'],
    ['1e3', '1', '1001'],
    ['0', '1Gi', '1Gi'],
    ['0.5', '1Gi', '1073741824500m'],
  ] as const)('%s and %s make %s', ([a, b, sum]) => {
    expect(formatQuantity(addQuantities(readQuantity(a), readQuantity(b)))).toBe(sum);
  });

  it.for([
    ['1u', -3, '1m'],
    ['1.500', -3, '1.500'],
    ['1500u', -3, '2m'],
    ['-1500u', -3, '-2m'],
    ['1m', 0, '1'],
  ] as const)('%s at 10^%d is %s', ([text, scale, rounded]) => {
    expect(formatQuantity(roundUpQuantity(readQuantity(text), scale))).toBe(rounded);
  });

  it('makes quantities of numbers', () => {
    expect(formatQuantity(quantityFromMilli(1500))).toBe('1500m');
    expect(formatQuantity(quantityFromInteger(2048, 'BinarySI'))).toBe('2Ki');
  });
});
