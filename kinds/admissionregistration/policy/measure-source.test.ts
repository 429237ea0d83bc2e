import { describe, expect, it } from 'vitest';
import type { ValidatingAdmissionPolicySpec } from '../validating-admission-policy/schema.ts';
import { measureSource } from './measure-source.ts';

const text = 'x'.repeat(100);

function chain(length: number): string {
  return `object.?a${'.optMap(x, x)'.repeat(length)}.hasValue()`;
}

describe('the source of a policy', () => {
  it.for<[string, Partial<ValidatingAdmissionPolicySpec>, number]>([
    ['none', {}, 0],
    ['a match condition', { matchConditions: [{ name: 'm', expression: text }] }, 120],
    ['a validation', { validations: [{ expression: text }] }, 120],
    ['its message', { validations: [{ expression: text, messageExpression: text }] }, 240],
    ['an audit annotation', { auditAnnotations: [{ key: 'k', valueExpression: text }] }, 120],
    ['a macro that doubles', { validations: [{ expression: chain(1) }] }, 2 * chain(1).length + 20],
    ['macros that double one another', { validations: [{ expression: chain(10) }] }, 1024 * chain(10).length + 20],
    ['a macro after a space', { validations: [{ expression: 'o. optMap(x, x)' }] }, 2 * 15 + 20],
    ['variables', { variables: [{ name: 'v', expression: text }] }, 120],
    [
      'repetitions of a pattern',
      { validations: [{ expression: "'a'.matches('a{1000}b{2,}[c]{3,63}')" }] },
      36 + 1065 + 20,
    ],
    ['a repetition of a group', { validations: [{ expression: "'a'.matches('(ab){1000}')" }] }, 25 + 16_000 + 20],
    [
      'what may be a repetition',
      { validations: [{ expression: String.raw`'a'.matches('a\x7b1000}')` }] },
      25 + 20_000 + 20,
    ],
    ['classes of a pattern', { validations: [{ expression: String.raw`'a'.matches('\\d')` }] }, 18 + 20],
  ])('is measured: %s', ([, spec, expected]) => {
    expect(measureSource(spec as ValidatingAdmissionPolicySpec)).toBe(expected);
  });
});
