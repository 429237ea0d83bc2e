import { once } from 'node:events';

import { describe, expect, it } from 'vitest';

import { LineStream } from './line-stream.ts';

describe('LineStream', () => {
  it.for<[name: string, before: string[], after: string[], text: string]>([
    ['after a whole line', ['{"a":1}\n'], ['{"b":2}\n'], '{"a":1}\n'],
    ['before the first', [], ['{"b":2}\n'], ''],
    [
      'with the rest of the line that is under way',
      ['{"a":1}\n{"b', '":'],
      ['2', '}\n{"c":3}\n'],
      '{"a":1}\n{"b":2}\n',
    ],
  ])('ends %s', async ([, before, after, text]) => {
    const stream = new LineStream();
    let read = '';
    stream.on('data', (chunk: Buffer) => (read += chunk.toString('utf8')));
    for (const piece of before) stream.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
    stream.finishLine(() => setImmediate(() => stream.end()));
    for (const piece of after) stream.write(piece);
    await once(stream, 'end');
    expect(read).toBe(text);
  });
});
