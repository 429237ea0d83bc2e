import { describe, expect, it } from 'vitest';
import { formatAge, formatDuration } from './format-age.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

describe('formatDuration', () => {
  it.for([
    [-2000, '<invalid>'],
    [-1500, '0s'],
    [0, '0s'],
    [119_999, '119s'],
    [2 * minute, '2m'],
    [2 * minute + 30_000, '2m30s'],
    [10 * minute + 30_000, '10m'],
    [179 * minute, '179m'],
    [3 * hour, '3h'],
    [7 * hour + 59 * minute, '7h59m'],
    [8 * hour + 59 * minute, '8h'],
    [47 * hour, '47h'],
    [2 * day, '2d'],
    [2 * day + 5 * hour, '2d5h'],
    [8 * day + 5 * hour, '8d'],
    [2 * year - 1, '729d'],
    [2 * year, '2y'],
    [2 * year + 3 * day, '2y3d'],
    [9 * year + 3 * day, '9y'],
  ] as const)('shows %i milliseconds as %s', ([millis, text]) => {
    expect(formatDuration(millis)).toBe(text);
  });
});

describe('formatAge', () => {
  it('counts from the timestamp', () => {
    expect(formatAge('2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1, 0, 5))).toBe('5m');
  });

  it.for([undefined, null])('shows no age for %s', (timestamp) => {
    expect(formatAge(timestamp, 0)).toBe('<unknown>');
  });
});
