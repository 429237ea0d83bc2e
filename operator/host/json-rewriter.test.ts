import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonRewriter, type RewriteRules } from './json-rewriter.ts';

const rules: RewriteRules = {
  apiVersions: new Map([['core.example.org/v1', 'v1']]),
  hidden: new Map([
    ['status', new Set(['claims', 'count'])],
    ['f:status', new Set(['f:claims'])],
  ]),
};

/** The text after rewriting, given in pieces of `size` bytes. */
function rewrite(text: string, size = text.length + 1): string {
  const rewriter = new JsonRewriter(rules);
  const bytes = Buffer.from(text);
  const output: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) output.push(...rewriter.push(bytes.subarray(at, at + size)));
  return Buffer.concat(output).toString('utf8');
}

const version = '"apiVersion":"core.example.org/v1"';

const cases: readonly (readonly [name: string, before: string, after: string])[] = [
  ['an object', `{${version},"kind":"Q"}`, '{"apiVersion":"v1","kind":"Q"}'],
  ['another apiVersion', '{"apiVersion":"core.example.org/v2"}', '{"apiVersion":"core.example.org/v2"}'],
  ['items', `{"items":[{${version}},{${version}}]}`, '{"items":[{"apiVersion":"v1"},{"apiVersion":"v1"}]}'],
  [
    'managed fields',
    `{"metadata":{"managedFields":[{"manager":"a",${version}}]}}`,
    '{"metadata":{"managedFields":[{"manager":"a","apiVersion":"v1"}]}}',
  ],
  [
    'owner references, which stay',
    `{"metadata":{"ownerReferences":[{${version}}]}}`,
    `{"metadata":{"ownerReferences":[{${version}}]}}`,
  ],
  [
    'an annotation of that name, which stays',
    `{"metadata":{"annotations":{${version}}}}`,
    `{"metadata":{"annotations":{${version}}}}`,
  ],
  [
    'text in a string',
    `{"a":"\\"apiVersion\\":\\"core.example.org/v1\\"{"}`,
    `{"a":"\\"apiVersion\\":\\"core.example.org/v1\\"{"}`,
  ],
  ['the only hidden member', '{"status":{"claims":[1,{"a":2}]}}', '{"status":{}}'],
  ['the first hidden member', '{"status":{"claims":[],"used":{}}}', '{"status":{"used":{}}}'],
  ['a hidden member between', '{"status":{"a":1,"claims":{"x":[]},"b":2}}', '{"status":{"a":1,"b":2}}'],
  ['two hidden members', '{"status":{"claims":1,"count":{"a":1},"b":2}}', '{"status":{"b":2}}'],
  ['two hidden members at the end', '{"status":{"b":2,"claims":1,"count":{"a":1}}}', '{"status":{"b":2}}'],
  ['the last hidden member', '{"status":{"a":1,"claims":"x"}}', '{"status":{"a":1}}'],
  ['the same name elsewhere', '{"spec":{"claims":1},"claims":2}', '{"spec":{"claims":1},"claims":2}'],
  ['a hidden member that is there twice', '{"status":{"claims":1,"claims":2,"a":3}}', '{"status":{"a":3}}'],
  [
    'ownership of a hidden member',
    '{"fieldsV1":{"f:status":{"f:claims":{"k:{\\"uid\\":\\"a\\"}":{}},"f:used":{}}}}',
    '{"fieldsV1":{"f:status":{"f:used":{}}}}',
  ],
  [
    'events of a watch',
    `{"type":"ADDED","object":{${version},"status":{"claims":[]}}}\n{"type":"MODIFIED","object":{${version}}}\n`,
    '{"type":"ADDED","object":{"apiVersion":"v1","status":{}}}\n{"type":"MODIFIED","object":{"apiVersion":"v1"}}\n',
  ],
  [
    'numbers and spaces as they are',
    '{ "a" : 12345678901234567890 , "b":1.0 }',
    '{ "a" : 12345678901234567890 , "b":1.0 }',
  ],
  ['what is no JSON', 'nothing "here', 'nothing "here'],
];

describe('JsonRewriter', () => {
  it.for(cases)('changes %s', ([, before, after]) => {
    expect(rewrite(before)).toBe(after);
  });

  it.for(cases)('does the same byte by byte: %s', ([, before, after]) => {
    // An unfinished string is still held back.
    for (const size of [1, 2, 3, 7]) expect(rewrite(before, size)).toBe(after);
  });

  it('leaves JSON without what it looks for as it is, in pieces of any size', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 20 }), (text, size) => {
        expect(rewrite(text, size)).toBe(text);
      }),
    );
  });

  it('hides like one who reads the whole document', () => {
    const status = fc.dictionary(fc.constantFrom('claims', 'count', 'used', 'hard', 'a"b'), fc.jsonValue());
    fc.assert(
      fc.property(status, fc.integer({ min: 1, max: 20 }), fc.boolean(), (value, size, spaced) => {
        const expected = {
          x: 1,
          status: Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'claims' && name !== 'count')),
        };
        const text = JSON.stringify({ x: 1, status: value }, undefined, spaced ? 2 : 0);
        // The values hold no objects named `status` themselves, as the values of a quota's status do not.
        fc.pre(!/"(status|f:status|apiVersion)"/.test(JSON.stringify(value)));
        expect(JSON.parse(rewrite(text, size))).toEqual(expected);
      }),
    );
  });

  it('tells the names of the members of the outermost object', () => {
    const rewriter = new JsonRewriter(rules);
    rewriter.push(Buffer.from('{"a":{"b":1},"c":[{"d":2}]}'));
    expect([...rewriter.topNames]).toEqual(['a', 'c']);
  });
});
