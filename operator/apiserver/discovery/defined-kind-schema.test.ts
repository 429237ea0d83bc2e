import { describe, expect, it } from 'vitest';
import type {
  CustomResourceDefinition,
  JsonSchemaProps,
} from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import { describeDefinedSchema, describeSelectableFields, nameDefinedType } from './defined-kind-schema.ts';

const objectMeta = { $ref: 'meta' };

function describeField(field: JsonSchemaProps, dialect: 'v2' | 'v3'): unknown {
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { field } } },
  };
  const definition = { metadata: {}, spec: { group: 'example.com', versions: [version] } };
  const described = describeDefinedSchema(definition as unknown as CustomResourceDefinition, version, dialect, {
    objectMeta,
  });
  return (described['properties'] as Record<string, unknown>)['field'];
}

const either = [{ type: 'integer' }, { type: 'string' }];

describe('the OpenAPI schema of a defined kind', () => {
  it.for<[string, JsonSchemaProps, unknown, unknown]>([
    [
      'values and their bounds',
      { type: 'integer', minimum: 1, default: 2, nullable: false, description: 'A number.' },
      { type: 'integer', minimum: 1, default: 2, description: 'A number.' },
      { type: 'integer', minimum: 1, description: 'A number.' },
    ],
    [
      'an integer or string',
      { 'x-kubernetes-int-or-string': true },
      { anyOf: either, 'x-kubernetes-int-or-string': true },
      { 'x-kubernetes-int-or-string': true },
    ],
    [
      'an integer or string that says so already',
      { 'x-kubernetes-int-or-string': true, anyOf: either },
      { anyOf: either, 'x-kubernetes-int-or-string': true },
      { 'x-kubernetes-int-or-string': true },
    ],
    [
      'what may be null',
      { type: 'array', nullable: true, items: { type: 'string' } },
      { type: 'array', nullable: true, items: { type: 'string' } },
      {},
    ],
    [
      'what is open',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'an embedded object',
      { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind'] },
      expect.objectContaining({
        required: ['kind', 'apiVersion'],
        properties: expect.objectContaining({ metadata: objectMeta }),
      }),
      expect.objectContaining({ required: ['kind', 'apiVersion'] }),
    ],
    [
      'what is required and may be null',
      {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
      },
      expect.objectContaining({ required: ['a', 'b'] }),
      { type: 'object', required: ['b'], properties: { a: {}, b: { type: 'string' } } },
    ],
    [
      'lists and rules',
      {
        type: 'array',
        items: { type: 'object' },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        'x-kubernetes-validations': [{ rule: 'true' }],
      },
      {
        type: 'array',
        items: { type: 'object' },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        'x-kubernetes-validations': [{ rule: 'true' }],
      },
      expect.objectContaining({ type: 'array' }),
    ],
  ])('describes %s', ([, field, v3, v2]) => {
    expect(describeField(field, 'v3')).toEqual(v3);
    expect(describeField(field, 'v2')).toEqual(v2);
  });

  it('is named by the group from behind', () => {
    expect(nameDefinedType('stable.example.com', 'v1', 'CronTab')).toBe('com.example.stable.v1.CronTab');
  });

  it('names the fields that select', () => {
    const version = { name: 'v1', served: true, storage: true };
    expect(describeSelectableFields(version)).toEqual({});
    expect(describeSelectableFields({ ...version, selectableFields: [{ jsonPath: '.spec.color' }] })).toEqual({
      'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.color' }],
    });
  });
});
