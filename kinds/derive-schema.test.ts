import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deriveSchema } from './derive-schema.ts';
import {
  atomicList,
  choice,
  filled,
  flag,
  int32,
  intOrString,
  mapList,
  mapOf,
  omitted,
  pointer,
  quantity,
  required,
  setList,
  struct,
  text,
  time,
} from './schema-vocabulary.ts';

const quantityShape = {
  type: 'string',
  format: 'quantity',
  definition: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  goType: 'resource.Quantity',
};

describe('deriveSchema', () => {
  it.for([
    ['text', text(), { type: 'string' }],
    ['a flag', flag(), { type: 'boolean' }],
    ['an int32', int32(), { type: 'integer', format: 'int32' }],
    ['a quantity', quantity(), quantityShape],
    ['a choice', choice(['b', 'a'], 'v1.Letter'), { type: 'string', enum: ['a', 'b'], goType: 'v1.Letter' }],
    ['a map', mapOf(quantity()), { type: 'object', values: quantityShape }],
    ['an atomic list', atomicList(text()), { type: 'array', items: { type: 'string' }, listType: 'atomic' }],
    ['a set', setList(text()), { type: 'array', items: { type: 'string' }, listType: 'set' }],
    [
      'a nullable time',
      time().nullable(),
      {
        type: 'string',
        format: 'date-time',
        definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
        goType: 'v1.Time',
      },
    ],
    [
      'an int or string',
      intOrString(),
      {
        type: 'any',
        format: 'int-or-string',
        definition: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
        goType: 'intstr.IntOrString',
      },
    ],
  ] as const)('derives %s', ([, schema, expected]) => {
    expect(deriveSchema(schema)).toEqual(expected);
  });

  it('derives an object with the zero values, requirements and descriptions of its fields', () => {
    const item = struct(
      { definition: 'io.example.v1.Item', description: 'An item.' },
      { key: required(text(), 'Key.') },
    );
    const schema = struct(
      { definition: 'io.example.v1.Thing', description: 'A thing.', mapType: 'atomic' },
      {
        a: omitted(text(), 'A.'),
        b: pointer(flag(), 'B.'),
        c: filled(item, 'C.'),
        d: required(mapList(item, ['key']).nullable(), 'D.'),
      },
    );
    const itemShape = {
      type: 'object',
      definition: 'io.example.v1.Item',
      goType: 'v1.Item',
      required: ['key'],
      properties: { key: { type: 'string', zero: 'fill', description: 'Key.' } },
    };
    expect(deriveSchema(schema)).toEqual({
      type: 'object',
      definition: 'io.example.v1.Thing',
      goType: 'v1.Thing',
      description: 'A thing.',
      mapType: 'atomic',
      required: ['d'],
      properties: {
        a: { type: 'string', zero: 'omit', description: 'A.' },
        b: { type: 'boolean', zero: 'keep', description: 'B.' },
        c: { ...itemShape, zero: 'fill', description: 'C.' },
        d: {
          type: 'array',
          zero: 'fill',
          description: 'D.',
          listType: 'map',
          listMapKeys: ['key'],
          patchStrategy: ['merge'],
          patchMergeKey: 'key',
          items: { ...itemShape, description: 'An item.' },
        },
      },
    });
  });

  it('does not change a schema that is used in several places', () => {
    const shared = text();
    const first = omitted(shared, 'First.');
    const second = filled(shared, 'Second.');
    expect(deriveSchema(first)).toEqual({ type: 'string', zero: 'omit', description: 'First.' });
    expect(deriveSchema(second)).toEqual({ type: 'string', zero: 'fill', description: 'Second.' });
    expect(deriveSchema(shared)).toEqual({ type: 'string' });
  });

  it('refuses a type outside the vocabulary', () => {
    expect(() => deriveSchema(z.date())).toThrow('the schema vocabulary has no date');
  });
});
