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

  it.for([
    ['a union', `.l[${Array.from({ length: 90 }, () => '*').join(',')}]`],
    ['a union of what is not there', `.l[*]${`[${Array.from({ length: 40 }, () => "'x'").join(',')}]`.repeat(2)}`],
    ['wildcards', '.l[*].*'],
    ['a filter', '.l[?(@.x)]'],
    ['slices', '.l[0:100000,0:100000,0:100000]'],
  ])('gives up %s of many values before they are gathered', ([, text = '']) => {
    const item = { x: 1 };
    const path = parseJsonPath(text);
    if ('fault' in path) throw new Error(path.fault);
    // Each step of one evaluation is within what the budget allows, and no list of it is longer.
    expect(findInJson(path, { l: Array.from({ length: 100_000 }, () => item) })).toBeUndefined();
  });

  it('finds what a list of many items holds', () => {
    const l = Array.from({ length: 50_000 }, (_, index) => ({ x: index }));
    const path = parseJsonPath('.l[*].x');
    if ('fault' in path) throw new Error(path.fault);
    expect(findInJson(path, { l })).toHaveLength(50_000);
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
    [`.a[${Array.from({ length: 100 }, () => '0').join(',')}]`, 'more than 100 steps'],
    [`.a[?(@${'.b'.repeat(100)})]`, 'more than 100 steps'],
    ['.a[ 0 , x ]', 'invalid array index x'],
    [`.a[x${' '.repeat(1 << 20)}y,b]`, 'more than 10000 characters'],
  ])('refuses %s: %s', ([text, fault]) => {
    expect(parseJsonPath(text)).toEqual({ fault });
  });
});
