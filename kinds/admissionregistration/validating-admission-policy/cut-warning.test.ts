import { expect, it } from 'vitest';

import { cutWarning } from './cut-warning.ts';

const line = `${'x'.repeat(99)}\n`;

it.for([
  ['what is short is left as it is', 'v1, Kind=Pod: wrong\n', 'v1, Kind=Pod: wrong\n'],
  ['the longest text is left as it is', 'x'.repeat(8192), 'x'.repeat(8192)],
  ['a long text ends with a whole line', line.repeat(100), `${line.repeat(81)}… 1901 more characters\n`],
  ['a long line is cut', 'x'.repeat(10_000), `${'x'.repeat(8192)}\n… 1808 more characters\n`],
  ['no character is cut in two', `x${'😀'.repeat(5000)}`, `x${'😀'.repeat(4095)}\n… 1810 more characters\n`],
] as const)('%s', ([, text, cut]) => {
  expect(cutWarning(text)).toBe(cut);
});
