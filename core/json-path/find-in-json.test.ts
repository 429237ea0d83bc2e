import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../meta/json.ts';
import { findInJson } from './find-in-json.ts';
import { parseJsonPath } from './parse-json-path.ts';

const document: JsonValue = {
  list: [
    { n: 1, s: 'one', on: true },
    { n: 2, s: 'two', deep: { n: 5 } },
    { n: 2.5, s: "it's", z: null },
  ],
  words: ['a', 'b', 'c', 'd'],
  'dotted.key': 'dot',
  nothing: null,
  ['__proto__']: 1,
};

/** What a path finds; `undefined` when it cannot be followed. */
function find(text: string): readonly JsonValue[] | undefined {
  const path = parseJsonPath(text);
  if ('fault' in path) throw new Error(path.fault);
  return findInJson(path, document);
}

describe('findInJson', () => {
  it.for<[string, readonly JsonValue[] | undefined]>([
    ['.words[0]', ['a']],
    ['.words[-1]', ['d']],
    ['.words[4]', undefined],
    ['.words[1:3]', ['b', 'c']],
    ['.words[::2]', ['a', 'c']],
    ['.words[1:1]', []],
    ['.words[2:1]', undefined],
    ['.words[0,2]', ['a', 'c']],
    ['.words[*]', ['a', 'b', 'c', 'd']],
    ['.list[*].n', [1, 2, 2.5]],
    ['.list[?(@.s=="one")].n', [1]],
    ["['dotted.key']", []],
    [String.raw`.dotted\.key`, ['dot']],
    ['.list[?(@.deep)].s', ['two']],
    ['.list[?(@.on==true)].s', ['one']],
    // An integer does not compare with a fraction.
    ['.list[?(@.n==2)].s', undefined],
    ['.list[?(@.z==1)].s', undefined],
    ['..deep.n', [5]],
    ['.nothing', [null]],
    ['.nothing.more', []],
    ['.absent', []],
    ['.constructor', []],
    ['.words.length', []],
    ['.list[0][0]', undefined],
    ['.words[?(@.x)]', []],
    ['$.words[0]', ['a']],
    ['end', undefined],
  ])('%s finds %j', ([text, found]) => {
    expect(find(text)).toEqual(found);
  });

  it('gives up a path that finds more than anybody reads', () => {
    let deep: JsonValue = 'end';
    for (let i = 0; i < 1_000; i++) deep = { x: deep };
    const path = parseJsonPath('..x..x');
    if ('fault' in path) throw new Error(path.fault);
    expect(findInJson(path, deep)).toBeUndefined();
  });
});

describe('parseJsonPath', () => {
  it.for<[string, string]>([
    ['.a[', 'unterminated array'],
    ['.a[x]', 'invalid array index x'],
    ['.a[?(@.b', 'unterminated filter'],
    ['.a[?(@.b)', 'unclosed array expect ]'],
    ['"a', 'unterminated quoted string'],
    ['.a ;', "unrecognized character in action: U+003B ';'"],
    ['....a', 'invalid multiple recursive descent'],
    ['1.2.3', 'cannot parse number 1.2.3'],
    [`.a${'.b'.repeat(200)}`, 'more than 100 steps'],
  ])('refuses %s: %s', ([text, fault]) => {
    expect(parseJsonPath(text)).toEqual({ fault });
  });
});
