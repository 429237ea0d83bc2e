import { describe, expect, it } from 'vitest';
import type { SchemaFormat } from '../../schema/structural-schema.ts';
import { CelDuration, CelError, CelTimestamp, type CelResult } from './cel-value.ts';
import { readDeclaredText } from './declared-text.ts';
import { JsonMap } from './json-value.ts';

describe('readDeclaredText', () => {
  it.for<[SchemaFormat, string, CelResult]>([
    ['date-time', '1970-01-01T00:00:05Z', new CelTimestamp(5, 0)],
    ['date-time', '1970-01-01T00:00:05.25', new CelTimestamp(5, 250_000_000)],
    ['date-time', '', new CelTimestamp(0, 0)],
    ['date', '1970-01-02', new CelTimestamp(86_400, 0)],
    ['duration', '2 minutes', new CelDuration(120_000_000_000n)],
    ['byte', 'YQ==', new Uint8Array([97])],
    ['text', 'as it is', 'as it is'],
    ['date', 'x', new CelError('Invalid date formatted string x: parsing time "x": cannot parse')],
    ['duration', 'x', new CelError('Invalid duration x: unable to parse x as duration')],
    ['byte', 'a+b', new CelError('Invalid byte formatted string a+b: illegal base64 data at input byte 1')],
  ])('reads the %s %s', ([format, text, value]) => {
    expect(readDeclaredText(text, format)).toEqual(value);
  });
});

describe('an object as its schema declares it', () => {
  const map = new JsonMap(
    { at: '1970-01-01T00:00:01Z', none: null },
    { type: 'object', isDeclared: true, properties: { at: { type: 'string', format: 'date-time', isDeclared: true } } },
  );

  it('has values of the declared types', () => {
    expect(map.get('at')).toEqual(new CelTimestamp(1, 0));
  });

  it('has no fields that are null', () => {
    expect([map.has('none'), map.get('none')]).toEqual([false, undefined]);
  });
});
