import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ArrayList } from '../../values/array-list.ts';
import { CelError } from '../../values/cel-value.ts';
import { findLastText, TextSearch } from './find-text.ts';
import { formatDecimal } from './format-decimal.ts';
import { formatWith } from './format-text.ts';
import { ResultTooLarge } from './result-too-large.ts';
import { charAt, indexOf, join, lastIndexOf, replace, split, substringRange } from './string-functions.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'é', '😀', '\n'), { maxLength: 12 }).map((parts) => parts.join(''));
const index = fc.integer({ min: 0, max: 12 });

describe('indices count code points', () => {
  it('of charAt', () => {
    fc.assert(
      fc.property(text, index, (of, at) => {
        const points = Array.from(of);
        const expected = at > points.length ? new CelError(`index out of range: ${at}`) : (points[at] ?? '');
        expect(charAt(of, at)).toEqual(expected);
      }),
    );
  });

  it('of substring', () => {
    fc.assert(
      fc.property(text, index, index, (of, start, end) => {
        const points = Array.from(of);
        fc.pre(start <= end && end <= points.length);
        expect(substringRange(of, start, end)).toBe(points.slice(start, end).join(''));
      }),
    );
  });

  it('of indexOf and lastIndexOf', () => {
    fc.assert(
      fc.property(text, text, (of, part) => {
        const starts = Array.from({ length: Array.from(of).length + 1 }, (_, i) => i).filter((i) =>
          Array.from(of).slice(i).join('').startsWith(part),
        );
        expect([indexOf(of, part), lastIndexOf(of, part)]).toEqual([starts[0] ?? -1, starts.at(-1) ?? -1]);
      }),
    );
  });
});

describe('a search for a long part', () => {
  const letters = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 300 }).map((parts) => parts.join(''));
  const pair = fc.tuple(letters, fc.integer({ min: 1, max: 3 })).map(([of, times]) => of.repeat(times));

  it('finds what JavaScript finds', () => {
    fc.assert(
      fc.property(pair, letters, index, (of, part, from) => {
        expect(new TextSearch(of, part).find(from)).toBe(of.indexOf(part, from));
        expect(findLastText(of, part, of.length)).toBe(of.lastIndexOf(part));
        expect(findLastText(of, part, from)).toBe(of.lastIndexOf(part, from));
      }),
    );
  });

  it('takes no time that grows with the product of the lengths', () => {
    const long = 'a'.repeat(1_000_000);
    expect(indexOf(long, `b${'a'.repeat(300_000)}`)).toBe(-1);
    expect(lastIndexOf(long, `${'a'.repeat(300_000)}b`)).toBe(-1);
    expect(split(long, `${'a'.repeat(300_000)}b`).size).toBe(1);
  });
});

describe('split, join and replace', () => {
  it('undo each other', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('', 'a', 'é', '😀', 'ab'), (of, separator) => {
        expect(join(split(of, separator), separator)).toBe(of);
        if (separator !== '') expect(replace(of, separator, 'x')).toBe(join(split(of, separator), 'x'));
      }),
    );
  });
});

describe('what would not fit in memory', () => {
  const long = 'a'.repeat(1_000_000);
  const list = (size: number): ArrayList => new ArrayList(Array.from({ length: size }, () => long));

  it.for([
    ['replace of nothing', () => replace(long, '', long)],
    ['replace of much', () => replace(long, 'a', 'b'.repeat(100))],
    ['join', () => join(list(100), long)],
    ['format', () => formatWith('%s'.repeat(100), list(100))],
    ['format of a list', () => formatWith('%s', new ArrayList([list(100)]))],
  ] as const)('is not made: %s', ([, make]) => {
    expect(make).toThrow(ResultTooLarge);
  });

  it('is made where it fits', () => {
    expect(replace(long, 'b', long)).toBe(long);
  });
});

describe('formatDecimal', () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });

  it('with all its digits is the number', () => {
    fc.assert(
      fc.property(double, (value) => {
        expect(Number(formatDecimal(value, -1))).toBe(Math.abs(value));
      }),
    );
  });

  it('is what JavaScript writes, but for what lies between', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e20, max: 1e20, noNaN: true }),
        fc.integer({ min: 0, max: 30 }),
        (value, digits) => {
          const exact = formatDecimal(value, -1).split('.')[1] ?? '';
          fc.pre(!/^50*$/.test(exact.slice(digits)));
          expect(formatDecimal(value, digits)).toBe(Math.abs(value).toFixed(digits));
        },
      ),
    );
  });

  it.for([
    [0.5, 0, '0'],
    [1.5, 0, '2'],
    [2.5, 0, '2'],
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
  ] as const)('%d with %d digits: to even', ([value, digits, expected]) => {
    expect(formatDecimal(value, digits)).toBe(expected);
  });
});
