import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeJson, encodeJsonPretty } from './encode-json.ts';
import { parseJsonText } from './parse-json.ts';

describe('encodeJson', () => {
  it.for<[string, unknown, string]>([
    ['bigints exactly', { a: 9223372036854775807n, b: [1n] }, '{"a":9223372036854775807,"b":[1]}'],
    ['members that are undefined not at all', { a: undefined, b: 1n, c: undefined }, '{"b":1}'],
    ['an own __proto__', JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ['scalars', 'a"b', '"a\\"b"'],
    ['nothing as null', undefined, 'null'],
    ['empty containers beside a bigint', { a: {}, b: [], c: 2n }, '{"a":{},"b":[],"c":2}'],
  ])('writes %s', ([, value, text]) => {
    expect(encodeJson(value)).toBe(text);
  });

  it('indents by two spaces and ends the line', () => {
    expect(encodeJsonPretty({ a: [1, { b: 2 }], c: {} })).toBe(
      `${JSON.stringify({ a: [1, { b: 2 }], c: {} }, null, 2)}\n`,
    );
    expect(encodeJsonPretty({ a: [1n, { b: 2 }], c: {} })).toBe(
      `${JSON.stringify({ a: [1, { b: 2 }], c: {} }, null, 2)}\n`,
    );
  });

  it('writes values that nest too deep for the engine', () => {
    let value: unknown = 1;
    for (let i = 0; i < 100_000; i++) value = [value];
    expect(encodeJson(value)).toBe(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`);
  });

  it('is undone by parsing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }), (json, big) => {
        const value = JSON.parse(JSON.stringify({ json })) as Record<string, unknown>;
        value['big'] = big;
        const parsed = parseJsonText(encodeJson(value));
        expect(parsed).toMatchObject({ duplicates: [] });
        expect(encodeJson((parsed as { value: unknown }).value)).toBe(encodeJson(value));
      }),
    );
  });
});
