import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../meta/json.ts';
import { applySchemaDefaults } from './apply-schema-defaults.ts';
import type { StructuralSchema } from './structural-schema.ts';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    count: { type: 'integer', default: 3 },
    nested: { type: 'object', default: {}, properties: { mode: { type: 'string', default: 'on' } } },
    list: { type: 'array', items: { type: 'object', properties: { protocol: { type: 'string', default: 'TCP' } } } },
    map: { type: 'object', values: { type: 'object', properties: { size: { type: 'integer', default: 1 } } } },
  },
};

describe('applySchemaDefaults', () => {
  it.for<[string, JsonValue, JsonValue]>([
    ['an empty object', {}, { count: 3, nested: { mode: 'on' } }],
    ['values that are set', { count: 0, nested: { mode: '' } }, { count: 0, nested: { mode: '' } }],
    ['null, which counts as set', { count: null, nested: null }, { count: null, nested: null }],
    [
      'items and map values',
      { list: [{}, { protocol: 'UDP' }], map: { a: {} } },
      { list: [{ protocol: 'TCP' }, { protocol: 'UDP' }], map: { a: { size: 1 } }, count: 3, nested: { mode: 'on' } },
    ],
    ['values of other types', { list: 'x', map: [1] }, { list: 'x', map: [1], count: 3, nested: { mode: 'on' } }],
  ])('fills %s', ([, value, filled]) => {
    applySchemaDefaults(value, schema);
    expect(value).toEqual(filled);
  });

  it('gives each object a default of its own', () => {
    const [first, second]: { nested?: { mode: string } }[] = [{}, {}];
    applySchemaDefaults(first, schema);
    applySchemaDefaults(second, schema);
    expect(first?.nested).not.toBe(second?.nested);
  });
});
