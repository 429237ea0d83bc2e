import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSplitter } from './json-splitter.ts';

/** What comes out when each object that is cut out becomes its number, and what was cut out. */
function split(what: 'items' | 'documents', text: string, size: number): { text: string; objects: string[] } {
  const objects: string[] = [];
  const splitter = new JsonSplitter(what, (object) => {
    objects.push(object.toString('utf8'));
    return Buffer.from(`#${objects.length}`);
  });
  const bytes = Buffer.from(text);
  const output: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) output.push(...splitter.push(bytes.subarray(at, at + size)));
  return { text: Buffer.concat(output).toString('utf8'), objects };
}

describe('JsonSplitter', () => {
  it.for([1, 2, 5, 1000])('cuts out the items of a list, %d bytes at a time', (size) => {
    const first = '{"items":[{"a":"}"}],"b":"\\"{"}';
    const list = `{"metadata":{"items":[{}]},"kind":"items","items":[${first}, {}],"x":[{"items":[]}]}`;
    expect(split('items', list, size)).toEqual({
      text: '{"metadata":{"items":[{}]},"kind":"items","items":[#1, #2],"x":[{"items":[]}]}',
      objects: [first, '{}'],
    });
  });

  it.for([1, 2, 5, 1000])('cuts out the documents of a watch, %d bytes at a time', (size) => {
    expect(split('documents', '{"type":"ADDED","object":{"a":[{}]}}\n{}\n', size)).toEqual({
      text: '#1\n#2\n',
      objects: ['{"type":"ADDED","object":{"a":[{}]}}', '{}'],
    });
  });

  it('finds every item, whatever is in them', () => {
    const item = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(item), item, fc.integer({ min: 1, max: 30 }), (items, metadata, size) => {
        const { objects } = split('items', JSON.stringify({ metadata, items, kind: 'List' }), size);
        expect(objects.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(items)));
      }),
    );
  });
});
