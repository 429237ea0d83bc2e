import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalizeMicroTime, canonicalizeTime, formatMicroTime, formatTime, parseTime } from './time.ts';
import rows from './testdata/times.json' with { type: 'json' };

describe('canonical times', () => {
  // The rows are what Kubernetes' own decoder answers; an absent time means that it refuses the text.
  it.for(rows as { text: string; time?: string; micro?: string }[])('$text', (row) => {
    expect(canonicalizeTime(row.text)).toBe(row.time);
    expect(canonicalizeMicroTime(row.text)).toBe(row.micro);
    expect(parseTime(row.text) === undefined).toBe(row.time === undefined);
  });
});

describe('formatTime', () => {
  it('writes whole seconds in UTC', () => {
    expect(formatTime(1_769_860_800_999)).toBe('2026-01-31T12:00:00Z');
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_000 }), (millis) => {
        expect(parseTime(formatMicroTime(millis))).toBe(millis);
        expect(parseTime(formatTime(millis))).toBe(Math.floor(millis / 1000) * 1000);
      }),
    );
  });
});
