import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, it } from 'vitest';

import { makeTextAutomaton, type PatternProgram } from './text-automaton.ts';

function test(pattern: string, text: string): boolean | undefined {
  return makeTextAutomaton(RE2JS.compile(pattern).re2().prog as PatternProgram)?.test(text);
}

it.for([
  ['^[a-z][a-z0-9-]{1,40}$', 'shop-frontend', true],
  ['^[a-z][a-z0-9-]{1,40}$', 'Shop', false],
  ['^[a-z]$', 'a\n', false],
  ['a(b|c)*d', 'xxabcbcdxx', true],
  ['a(b|c)*d', 'xxabcbc', false],
  ['(?i)foo', 'barFOO', true],
  ['$', 'a', true],
  ['^$', 'a', false],
  ['', 'a', true],
  ['a$^b', 'ab', false],
  ['.', '\n', false],
  ['(?s).', '\n', true],
  ['[^a]', 'aab', true],
  ['(a|aa)+$', 'a'.repeat(2000), true],
] as const)('%s of %s', ([pattern, text, answer]) => {
  expect(test(pattern, text)).toBe(answer);
});

/** Letters in an order that is met in no pattern. */
const noise = 'abbabaaabbbabaababbbaaaababbabbbaaba'
  .repeat(40)
  .replaceAll('ab', (pair, place: number) => (place % 7 < 3 ? pair : 'baa'));

it.for([
  ['words', '\\bfoo\\b', 'a foo'],
  ['lines', '(?m)^foo', 'a\nfoo'],
  ['what is not ASCII', 'b', 'aéb'],
  ['an empty text', 'b', ''],
  ['too many states', '(a|b)*a(a|b){12}$', noise],
  ['too long patterns', '(abcdefghij){100}', 'abc'],
] as const)('leaves %s to others', ([, pattern, text]) => {
  expect(test(pattern, text)).toBeUndefined();
});

const pieces = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(?:ab)', '(?i:A)', '\\d', '^', '$', 'c');
const quantifiers = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '*?');
const patterns = fc
  .array(fc.tuple(pieces, quantifiers), { maxLength: 8 })
  .map((parts) => parts.map(([piece, quantifier]) => (/[$^]$/.test(piece) ? piece : piece + quantifier)).join(''));
const alternatives = fc.array(patterns, { minLength: 1, maxLength: 3 }).map((each) => each.join('|'));

it('agrees with re2js', () => {
  fc.assert(
    fc.property(alternatives, fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'c', '1', '\n') }), (pattern, text) => {
      const answer = test(pattern, text);
      if (answer !== undefined) expect(answer).toBe(RE2JS.compile(pattern).test(text));
    }),
    { numRuns: 1000 },
  );
});
