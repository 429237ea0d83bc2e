import { describe, expect, it } from 'vitest';
import { FieldPath } from './field-path.ts';
import {
  aggregateMessages,
  formatFieldError,
  makeDuplicate,
  makeForbidden,
  makeInternal,
  makeInvalid,
  makeNotFound,
  makeNotSupported,
  makeRequired,
  makeTooLong,
  makeTooMany,
  makeTypeInvalid,
} from './make-field-error.ts';
import texts from './testdata/field-errors.json' with { type: 'json' };

describe('formatFieldError', () => {
  const path = FieldPath.root('spec', 'a');
  const errors = [
    makeInvalid(path, 'x"\n<é\u200b\u{1f600}\x01', 'detail'),
    makeInvalid(path.index(0), 5, 'd'),
    makeInvalid(path.key('k'), true, 'd'),
    makeInvalid(path, { a: '<b>' }, 'd'),
    makeInvalid(path, ['a', 'b'], 'd'),
    makeInvalid(path, null, 'd'),
    makeInvalid(path, 1.5, 'd'),
    makeRequired(path, ''),
    makeRequired(path, 'why'),
    makeDuplicate(path, 'x'),
    makeNotSupported(path, 'x', ['A', 'B']),
    makeNotSupported(path, 'x', []),
    makeForbidden(path, 'no'),
    makeTooLong(path, '', 10),
    makeTooLong(path, '', 1),
    makeTooLong(path, '', -1),
    makeTooMany(path, 5, 4),
    makeTooMany(path, 2, 1),
    makeTooMany(path, -1, -1),
    makeNotFound(path, 'x'),
    makeTypeInvalid(path, 'x', 'd'),
    makeInternal(path, 'boom'),
  ];

  // The texts are Kubernetes' own, in the same order.
  it.for(texts.map((text, i) => ({ text, error: errors[i] })))('$text', ({ text, error }) => {
    expect(error && formatFieldError(error)).toBe(text);
  });
});

describe('aggregateMessages', () => {
  it.for([
    [[], ''],
    [['a'], 'a'],
    [['a', 'a'], 'a'],
    [['a', 'b', 'a'], '[a, b]'],
  ] as const)('%j is %j', ([messages, expected]) => {
    expect(aggregateMessages(messages)).toBe(expected);
  });
});

describe('FieldPath', () => {
  it('prints children, indexes and keys', () => {
    expect(FieldPath.root('spec').child('limits').index(0).child('max').key('cpu').toString()).toBe(
      'spec.limits[0].max[cpu]',
    );
  });

  it('starts a root below the empty path', () => {
    expect(FieldPath.empty.toString()).toBe('<nil>');
    expect(FieldPath.empty.child('values').index(1).toString()).toBe('values[1]');
  });
});
