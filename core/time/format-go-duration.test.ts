import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatGoDuration } from './format-go-duration.ts';
import { parseGoDuration } from './parse-go-duration.ts';

describe('formatGoDuration', () => {
  // What Go's own package prints.
  it.for([
    [0, '0s'],
    [1e-6, '1ns'],
    [0.0011, '1.1µs'],
    [2.2, '2.2ms'],
    [100, '100ms'],
    [3_300, '3.3s'],
    [30_000, '30s'],
    [120_000, '2m0s'],
    [245_000, '4m5s'],
    [245_001, '4m5.001s'],
    [18_367_001, '5h6m7.001s'],
    [604_800_000, '168h0m0s'],
    [-1_500, '-1.5s'],
  ] as const)('%d ms is %s', ([millis, text]) => {
    expect(formatGoDuration(millis)).toBe(text);
  });

  it('is read back as the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (millis) => {
        const parsed = parseGoDuration(formatGoDuration(millis));
        expect('millis' in parsed ? Math.round(parsed.millis) : undefined).toBe(millis === 0 ? 0 : millis);
      }),
    );
  });
});
