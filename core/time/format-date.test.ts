import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { formatDate, formatHttpDate } from './format-date.ts';

const MAX_MILLIS = 8_640_000_000_000_000;
/** 9999-12-31T23:59:59.999Z. */
const LAST_MILLIS = 253_402_300_799_999;

describe('formatDate', () => {
  it.for([0, 1_769_860_800_007, -1, -62_167_219_200_000, LAST_MILLIS, LAST_MILLIS + 1, -MAX_MILLIS])(
    'writes %d as a Date does',
    (millis) => {
      expect(formatDate(millis)).toBe(new Date(millis).toISOString());
    },
  );

  it('writes any time as a Date does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -MAX_MILLIS, max: MAX_MILLIS }), (millis) => {
        expect(formatDate(millis)).toBe(new Date(millis).toISOString());
      }),
    );
  });

  it('refuses what is no time', () => {
    expect(() => formatDate(Number.NaN)).toThrow(RangeError);
  });
});

describe('formatHttpDate', () => {
  it('writes any time as a Date does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST_MILLIS }), (millis) => {
        expect(formatHttpDate(millis)).toBe(new Date(millis).toUTCString());
      }),
    );
  });
});
