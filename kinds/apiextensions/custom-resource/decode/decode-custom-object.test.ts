import { describe, expect, it } from 'vitest';

import type { JsonSchemaProps } from '../../custom-resource-definition/custom-resource-definition.ts';
import { decodeCustomObject } from './decode-custom-object.ts';

const schema: JsonSchemaProps = {
  type: 'object',
  properties: {
    refused: { type: 'string' },
    taken: { type: 'string', nullable: true },
    replaced: { type: 'string', default: 'x' },
    list: { type: 'array', items: { type: 'object', properties: { deep: { type: 'integer' } } } },
  },
};
const nulls = { refused: null, taken: null, replaced: null, list: [{ deep: null }] };

describe('decodeCustomObject', () => {
  it('drops null where the schema neither takes it nor has something in its place', () => {
    const decoded = decodeCustomObject(nulls, schema);
    expect(decoded).toMatchObject({ object: { taken: null, replaced: null, list: [{}] } });
    expect(decoded).not.toHaveProperty('object.refused');
    expect(decoded).not.toHaveProperty('object.list[0].deep');
  });

  it('keeps every null for whoever validates what is applied', () => {
    expect(decodeCustomObject(nulls, schema, { keepsNulls: true })).toMatchObject({ object: nulls });
  });
});
