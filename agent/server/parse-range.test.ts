import { describe, expect, it } from 'vitest';
import { parseRange } from './parse-range.ts';

describe('parseRange', () => {
  it.for([
    [undefined, 10, 'whole'],
    ['bytes=0-', 10, { start: 0, end: 9 }],
    ['bytes=2-4', 10, { start: 2, end: 4 }],
    ['Bytes= 2-4 ', 10, { start: 2, end: 4 }],
    ['bytes=2-400', 10, { start: 2, end: 9 }],
    ['bytes=9-9', 10, { start: 9, end: 9 }],
    ['bytes=-3', 10, { start: 7, end: 9 }],
    ['bytes=-300', 10, { start: 0, end: 9 }],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-5', 0, 'unsatisfiable'],
    ['bytes=4-2', 10, 'whole'],
    ['bytes=-', 10, 'whole'],
    ['bytes=0-1,3-4', 10, 'whole'],
    ['bytes=a-b', 10, 'whole'],
    ['items=0-1', 10, 'whole'],
    ['bytes=99999999999999999999-', 10, 'whole'],
  ] as const)('reads %s of %i bytes as %j', ([header, size, range]) => {
    expect(parseRange(header, size)).toEqual(range);
  });
});
