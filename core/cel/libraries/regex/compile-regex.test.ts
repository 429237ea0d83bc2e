import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';

import { answerExpression } from '../../../../test/oracle/answer-expression.ts';
import type { OracleAnswer, OracleRequest } from '../../../../test/oracle/oracle-protocol.ts';
import cases from '../../testdata/patterns.json' with { type: 'json' };
import { compileRegex, estimateRegex, Regex } from './compile-regex.ts';
import { measurePattern } from './measure-pattern.ts';

type Case = OracleRequest & { answer: OracleAnswer };

function compile(pattern: string): Regex {
  const regex = compileRegex(pattern);
  if ('fault' in regex) throw new Error(regex.fault);
  return regex;
}

describe('random patterns on random texts', () => {
  it.for(cases as unknown as Case[])(
    '$variables.p.json on $variables.t.json: $expression',
    ({ answer, ...request }) => {
      const { result, error, cost } = answerExpression(request);
      expect({ result, error, cost }).toEqual({ result: answer.result, error: answer.error, cost: answer.cost });
    },
  );
});

describe('compileRegex', () => {
  it('gives the same for the same pattern', () => {
    expect(compileRegex('a+b')).toBe(compileRegex('a+b'));
  });

  it('forgets what has not been used for long', () => {
    const first = compileRegex('forgotten');
    for (let i = 0; i < 600; i++) compileRegex(`x{${i}}`);
    expect(compileRegex('forgotten')).not.toBe(first);
  });

  it.for([
    ['(a{1000})'.repeat(1000), 'many repetitions'],
    ['\\pL{1000}'.repeat(10_000), 'many classes'],
    ['a'.repeat(300_000), 'much text'],
  ] as const)('refuses, without compiling it, a pattern of %$: $1', ([pattern]) => {
    expect(compileRegex(pattern)).toEqual({ fault: 'error parsing regexp: expression too large' });
  });

  it.for(['(?P<n>a)(?P<n>b)', '(?<n>a)\\(?P<n>[(?P<n>](?P<n>b)'])('takes one name for two groups: %s', (pattern) => {
    expect(compile(pattern)).toBeInstanceOf(Regex);
  });
});

describe('measurePattern', () => {
  const part = fc.constantFrom('a', '.', '[a-z]', '\\d', '(a|b)', '(?:ab)', 'é', '\\pL', '^', '[]x]', '\\{', '(?i)k');
  const count = fc.constantFrom('', '*', '+', '?', '{3}', '{2,9}', '{4,}', '{0,7}');
  const atom = fc.tuple(part, count).map((both) => both.join(''));
  const group = fc
    .tuple(fc.array(atom, { maxLength: 4 }), count)
    .map(([parts, times]) => `(${parts.join('')})${times}`);

  it('is not far below what a pattern compiles to', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(atom, group), { maxLength: 6 }), (parts) => {
        const pattern = parts.join('');
        expect(2 * measurePattern(pattern) + 10).toBeGreaterThanOrEqual(RE2JS.compile(pattern).programSize());
      }),
    );
  });
});

describe('estimateRegex', () => {
  it('grows with the text', () => {
    expect(estimateRegex('a'.repeat(1000), '(x+x+)+y')).toBeGreaterThan(10 * estimateRegex('a'.repeat(50), '(x+x+)+y'));
  });

  it.for([
    ['[0-9]+', 1000],
    ['a.*z|a', 100_000],
    ['(?:a.*z)?', 100_000],
  ] as const)('of all matches of %s, in 1,000 characters, is at least %d', ([pattern, least]) => {
    expect(estimateRegex('a'.repeat(1000), pattern, true)).toBeGreaterThan(least);
  });

  it('does not compile what takes long to compile', () => {
    expect(estimateRegex('a', '(b{1000})'.repeat(200))).toBeGreaterThan(1_000_000);
  });
});
