import { describe, expect, it } from 'vitest';

import { parseGoDuration } from './parse-go-duration.ts';

describe('parseGoDuration', () => {
  it.for([
    ['0', 0],
    ['5s', 5_000],
    ['-5s', -5_000],
    ['+5s', 5_000],
    ['1.5h', 5_400_000],
    ['1h30m', 5_400_000],
    ['.5s', 500],
    ['5.s', 5_000],
    ['100ms', 100],
    ['3us', 0.003],
    ['3µs', 0.003],
  ] as const)('reads %s as %d ms', ([text, millis]) => {
    expect(parseGoDuration(text)).toEqual({ millis });
  });

  it.for([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    [' ', 'time: invalid duration " "'],
    ['x', 'time: invalid duration "x"'],
    ['.s', 'time: invalid duration ".s"'],
    ['5', 'time: missing unit in duration "5"'],
    ['1.2.3s', 'time: missing unit in duration "1.2.3s"'],
    ['1x', 'time: unknown unit "x" in duration "1x"'],
    ['1s x', 'time: unknown unit "s x" in duration "1s x"'],
    ['1ü', String.raw`time: unknown unit "\xc3\xbc" in duration "1\xc3\xbc"`],
    ['1"', String.raw`time: unknown unit "\"" in duration "1\""`],
    ['99999999999h', 'time: invalid duration "99999999999h"'],
  ] as const)('refuses %s', ([text, fault]) => {
    expect(parseGoDuration(text)).toEqual({ fault });
  });
});
