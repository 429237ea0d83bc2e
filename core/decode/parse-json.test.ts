import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../meta/json.ts';
import { encodeJson } from './encode-json.ts';
import { parseJson, parseJsonText } from './parse-json.ts';
import type { ParsedDocument } from './parsed-document.ts';

/** A value whose bigints have become numbers, and whose negative zeros are zeros. */
function reread(text: string): unknown {
  return JSON.parse(JSON.stringify(JSON.parse(text)));
}

function parseOk(text: string): ParsedDocument {
  const parsed = parseJsonText(text);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed;
}

describe('parseJson on broken text', () => {
  it.for<[string, string]>([
    ['', 'unexpected end of JSON input'],
    [' ', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['[', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['falsx', "invalid character 'x' in literal false (expecting 'e')"],
    ['-', "invalid character ' ' in numeric literal"],
    ['1.', "invalid character ' ' after decimal point in numeric literal"],
    ['1e+', "invalid character ' ' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a"}', "invalid character '}' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['{"a":1}x', "invalid character 'x' after top-level value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
    ['"\\', "invalid character ' ' in string escape code"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['\u00e9', "invalid character '\u00c3' looking for beginning of value"],
    ['\ufeff{}', "invalid character '\u00ef' looking for beginning of value"],
    ['\u0000', "invalid character '\\x00' looking for beginning of value"],
  ])('answers %j as Go does', ([text, fault]) => {
    expect(parseJson(new TextEncoder().encode(text))).toEqual({ fault });
  });

  it('refuses what nests deeper than ten thousand, and nothing less', () => {
    const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJsonText(deep(10_000))).not.toHaveProperty('fault');
    expect(parseJsonText(deep(10_001))).toEqual({ fault: "invalid character '[' exceeded max depth" });
    expect(parseJsonText('{"a":'.repeat(2_000_000))).toEqual({ fault: "invalid character '{' exceeded max depth" });
  });

  it('never throws on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(parseJson(bytes)).toBeTypeOf('object');
      }),
    );
  });

  it('never throws on damaged documents, and refuses what the engine refuses', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (json, at, noise) => {
        const text = json.slice(0, at % (json.length + 1)) + noise + json.slice(at % (json.length + 1));
        let refused = false;
        try {
          JSON.parse(text);
        } catch {
          refused = true;
        }
        expect('fault' in parseJsonText(text)).toBe(refused);
      }),
      { numRuns: 500 },
    );
  });
});

describe('parseJson on valid text', () => {
  it('agrees with the engine', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(reread(encodeJson(parseOk(json).value))).toEqual(reread(JSON.stringify(JSON.parse(json))));
      }),
    );
  });

  it.for<[string, unknown]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['99999999999999999999', 99999999999999999999n],
    ['1.5e3', 1500],
    ['-0', 0],
    ['"\\u00e9\\ud83d\\ude00\\/"', '\u00e9\u{1f600}/'],
    ['"\\ud800"', '\ufffd'],
  ])('reads %s', ([text, value]) => {
    expect(parseOk(text).value).toEqual(value);
  });

  it('replaces each byte of invalid UTF-8 by U+FFFD', () => {
    const bytes = Uint8Array.from([0x22, 0xff, 0xfe, 0x61, 0xe2, 0x82, 0x22]);
    expect(parseJson(bytes)).toMatchObject({ value: '\ufffd\ufffda\ufffd\ufffd' });
  });

  it('takes prototype names for ordinary keys', () => {
    const { value, duplicates } = parseOk('{"__proto__":{"a":1},"constructor":2,"toString":3,"hasOwnProperty":4}');
    expect(Object.keys(value as JsonObject)).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty']);
    expect(duplicates).toEqual([]);
    expect(({} as JsonObject)['a']).toBeUndefined();
    expect(parseOk('{"__proto__":1,"__proto__":2}').duplicates).toEqual(['__proto__']);
  });

  it.for<[string, string[]]>([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"a":null,"a":2}', ['a']],
    ['{"spec":{"list":[{},{"b":1,"b":2}]}}', ['spec.list[1].b']],
    ['{"a":{"b":1},"a":{"c":1,"c":2}}', ['a.c', 'a']],
    ['[[{"x":1,"x":1}]]', ['[0][0].x']],
  ])('reports the duplicates of %s', ([text, duplicates]) => {
    expect(parseOk(text).duplicates).toEqual(duplicates);
  });

  it('notes each duplicate of an object once', () => {
    const { value, notes } = parseOk(`{"b":1,${'"a":1,'.repeat(1_000)}"c":1}`);
    expect(notes.duplicateKeys.get(value as object)).toEqual([{ key: 'a', position: 2 }]);
  });

  it('merges the objects of a duplicate key and otherwise keeps the last value', () => {
    expect(parseOk('{"a":{"b":1,"c":{"d":1}},"a":{"c":{"e":2}},"x":1,"x":[2]}').value).toEqual({
      a: { b: 1, c: { d: 1, e: 2 } },
      x: [2],
    });
  });

  it('remembers how whole numbers that are no integers were written', () => {
    const { value, notes } = parseOk('{"a":1.0,"b":[1e3,2],"c":1.5}');
    const object = value as { b: object };
    expect(notes.numberLiterals.get(object)).toEqual(new Map([['a', '1.0']]));
    expect(notes.numberLiterals.get(object.b)).toEqual(new Map([[0, '1e3']]));
  });
});
