import { describe, expect, it } from 'vitest';
import { formatWarnings } from './format-warnings.ts';

describe('formatWarnings', () => {
  it.for([
    ['nothing', [], []],
    ['a plain text', ['old'], ['299 - "old"']],
    ['quotes, backslashes and line ends', ['a"b\\c\r\nX: y'], ['299 - "a\\"b\\\\c  X: y"']],
    ['an empty text', ['', 'a'], ['299 - "a"']],
  ] as const)('shows %s', ([, texts, values]) => {
    expect(formatWarnings(texts)).toEqual(values);
  });

  it('shows texts beyond ASCII as the bytes of their UTF-8', () => {
    const [value = ''] = formatWarnings(['é😀']);
    expect(Buffer.from(value, 'latin1').toString('utf8')).toBe('299 - "é😀"');
  });

  it('cuts each text and leaves the last ones out once all together are too long', () => {
    const texts = Array.from({ length: 1000 }, (_, index) => `${index} ${'é'.repeat(1000)}`);
    const values = formatWarnings(texts);
    expect(values).toHaveLength(16);
    for (const value of values) expect([...Buffer.from(value, 'latin1').toString('utf8')]).toHaveLength(256 + 8);
  });

  it('never cuts inside of a character or of an escape', () => {
    const [value = ''] = formatWarnings(['"'.repeat(5000)]);
    expect(value).toBe(`299 - "${'\\"'.repeat(256)}"`);
  });
});
