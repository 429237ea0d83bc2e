import { describe, expect, it } from 'vitest';
import { nameAnnotations } from './name-annotations.ts';

describe('nameAnnotations', () => {
  const long = `${'p'.repeat(60)}/key`;
  it.for<[string, Record<string, string>, Record<string, string>]>([
    ['nothing', {}, {}],
    [
      'what has the name of the webhook',
      { 'validation.policy.admission.example.org/validation_failure': '[]' },
      { validation_failure: '[]' },
    ],
    ['what a policy says', { 'my.policy/seen': 'x' }, { 'my.policy.seen': 'x' }],
    ['what has no slash', { 'would-be-refused': 'x' }, { 'would-be-refused': 'x' }],
    ['what is too long', { [long]: 'x', 'p/k': 'y' }, { 'p.k': 'y', annotations: `{"${long}":"x"}` }],
    ['two that would have one name', { 'a.b/c': '1', 'a/b.c': '2' }, { 'a.b.c': '1', annotations: '{"a/b.c":"2"}' }],
  ])('%s', ([, annotations, expected]) => {
    expect(nameAnnotations(new Map(Object.entries(annotations)), 'example.org')).toEqual(expected);
  });
});
