import { describe, expect, it } from 'vitest';
import { readDeadline } from './read-deadline.ts';

describe('readDeadline', () => {
  it.for([
    ['timeout=10s', 9_500],
    ['timeout=1s', 900],
    ['timeout=1m', 29_500],
    ['timeout=1.5s', 1_350],
    ['timeout=1s500ms', 1_350],
    ['timeout=0s', 29_500],
    ['timeout=-1s', 29_500],
    ['timeout=soon', 29_500],
    ['', 29_500],
  ] as const)('%s leaves %i ms', ([query, millis]) => {
    expect(readDeadline(new URLSearchParams(query))).toBe(millis);
  });
});
