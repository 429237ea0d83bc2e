import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue } from '../meta/json.ts';
import { applyMergePatch } from './merge-patch.ts';

function parse(json: string): JsonValue {
  return JSON.parse(json) as JsonValue;
}

describe('applyMergePatch', () => {
  it.for<[string, string, string]>([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"a":1,"e":null}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{}', '{"a":[{"b":null},null]}', '{"a":[{},null]}'],
    ['{"a":{}}', '{"a":[{"b":null}]}', '{"a":[{"b":null}]}'],
    ['{"a":1}', '[{"b":null}]', '[{}]'],
    ['[1]', '{"a":null,"b":2}', '{"b":2}'],
    ['{"a":1}', '{"__proto__":{"x":1},"constructor":{"y":null}}', '{"__proto__":{"x":1},"a":1,"constructor":{}}'],
  ])('%s with %s', ([document, patch, result]) => {
    expect(JSON.stringify(applyMergePatch(parse(document), parse(patch)))).toBe(result);
  });

  it('settles after a second time, sets every scalar of the patch, and changes no input', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (a, b) => {
        const document = parse(JSON.stringify(a));
        const patch = parse(JSON.stringify(b));
        const once = applyMergePatch(document, patch);
        const twice = applyMergePatch(once, patch);
        expect(applyMergePatch(twice, patch)).toEqual(twice);
        expect([JSON.stringify(document), JSON.stringify(patch)]).toEqual([JSON.stringify(a), JSON.stringify(b)]);
        for (const [key, value] of Object.entries(patch as object)) {
          const result = isJsonObject(once) && Object.hasOwn(once, key) ? once[key] : undefined;
          if (value === null) expect(result).toBeUndefined();
          else if (typeof value !== 'object') expect(result).toEqual(value);
        }
      }),
    );
  });

  it('adds lists of any length', () => {
    const patch: JsonValue = { l: Array.from({ length: 200_000 }, (_, index) => index) };
    expect(applyMergePatch({ a: 1 }, patch)).toEqual({ a: 1, ...patch });
  });

  it('follows patches of any depth', () => {
    let patch: JsonValue = 1;
    for (let i = 0; i < 50_000; i++) patch = { a: patch };
    expect(applyMergePatch({ a: { a: { b: 1 } } }, patch)).toHaveProperty(['a', 'a', 'b'], 1);
  });
});
