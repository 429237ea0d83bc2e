import type { JsonObject } from '../../../../core/meta/json.ts';
import { defineField, defineSchema, type DefinitionCase } from './definition-case.ts';

const text = { type: 'string' };
const preserve = { 'x-kubernetes-preserve-unknown-fields': true };
const embedded = { 'x-kubernetes-embedded-resource': true };
const intOrString = { 'x-kubernetes-int-or-string': true };
const either = [{ type: 'integer' }, { type: 'string' }];
const status = { subresources: { status: {} } };

function list(type: string | undefined, items: JsonObject | undefined, more: JsonObject = {}): JsonObject {
  return defineField({
    type: 'array',
    ...(type === undefined ? {} : { 'x-kubernetes-list-type': type }),
    ...(items === undefined ? {} : { items }),
    ...more,
  });
}

const keys = (...names: string[]): JsonObject => ({ 'x-kubernetes-list-map-keys': names });
const item = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

/** Definitions that are right or wrong in their schemas, rules and defaults aside. */
export const schemaCases: readonly DefinitionCase[] = [
  { name: 'a root of another type', definition: defineSchema({ type: 'string' }) },
  { name: 'a root without type', definition: defineSchema({}) },
  { name: 'a root that may be null', definition: defineSchema({ type: 'object', nullable: true }) },
  { name: 'a root of additional properties', definition: defineSchema({ type: 'object', additionalProperties: text }) },
  { name: 'a root that preserves fields', definition: defineSchema({ type: 'object', ...preserve }) },
  { name: 'a root without type that preserves fields', definition: defineSchema(preserve) },
  { name: 'a status below a root with a limit', definition: defineSchema({ type: 'object', maxProperties: 3, properties: { a: text } }, status) },
  { name: 'a status below a root of another type', definition: defineSchema({ type: 'string' }, status) },
  { name: 'a status below a root with alternatives', definition: defineSchema({ type: 'object', description: 'd', anyOf: [{ required: ['a'] }], properties: { a: { type: 'integer', minimum: 0.5, enum: [1, 2], default: 1 }, l: { type: 'array', items: text } } }, status) },
  { name: 'a status below a plain root', definition: defineSchema({ type: 'object', description: 'd', required: ['a'], properties: { a: text } }, status) },
  { name: 'a field without type', definition: defineField({}) },
  { name: 'a field of a type that is none', definition: defineField({ type: 'int' }) },
  { name: 'a field of type null', definition: defineField({ type: 'null' }) },
  { name: 'a list without items', definition: defineField({ type: 'array' }) },
  { name: 'a list with items without type', definition: defineField({ type: 'array', items: {} }) },
  { name: 'a list with a list of items', definition: defineField({ type: 'array', items: [text, text] }) },
  { name: 'a list with an empty list of items', definition: defineField({ type: 'array', items: [] }) },
  { name: 'unique items', definition: defineField({ type: 'array', items: text, uniqueItems: true }) },
  { name: 'properties and additional ones', definition: defineField({ type: 'object', properties: { a: text }, additionalProperties: text }) },
  { name: 'properties and no additional ones', definition: defineField({ type: 'object', properties: { a: text }, additionalProperties: false }) },
  { name: 'properties and any additional ones', definition: defineField({ type: 'object', properties: { a: text }, additionalProperties: true }) },
  { name: 'additional properties without type', definition: defineField({ type: 'object', additionalProperties: {} }) },
  { name: 'no additional properties', definition: defineField({ type: 'object', additionalProperties: false }) },
  { name: 'what is not supported', definition: defineField({ type: 'object', id: 'x', additionalItems: true, patternProperties: { a: text }, definitions: { b: text }, dependencies: { c: ['d'], e: text }, $ref: '#/x' }) },
  { name: 'an empty reference', definition: defineField({ type: 'object', $ref: '' }) },
  { name: 'a schema of a schema', definition: defineField({ type: 'object', $schema: 'http://json-schema.org/x' }) },
  { name: 'additional items that are false', definition: defineField({ type: 'array', items: text, additionalItems: false }) },
  { name: 'fields that are not preserved', definition: defineField({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }) },
  { name: 'a pattern', definition: defineField({ type: 'string', pattern: '^[a-z]+$' }) },
  { name: 'a pattern that is none', definition: defineField({ type: 'string', pattern: '[a' }) },
  { name: 'a pattern with a look ahead', definition: defineField({ type: 'string', pattern: '(?=a)' }) },
  { name: 'a pattern that is none below an alternative', definition: defineField({ type: 'string', anyOf: [{ pattern: '(' }] }) },
  { name: 'an external documentation and an example', definition: defineField({ type: 'string', externalDocs: { url: 'https://example.com', description: 'd' }, example: { a: null }, title: 't' }) },
  { name: 'an enumeration with null', definition: defineField({ type: 'string', nullable: true, enum: ['a', null] }) },
  { name: 'a schema with everything', definition: defineField({ type: 'object', minProperties: 1, maxProperties: 5, required: ['n'], properties: { n: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9.5, exclusiveMaximum: true, multipleOf: 0.5 }, s: { type: 'string', minLength: 1, maxLength: 9, format: 'date' }, l: { type: 'array', minItems: 1, maxItems: 4, items: { type: 'boolean' } } } }) },
  // Int or string
  { name: 'an integer or text', definition: defineField(intOrString) },
  { name: 'an integer or text, written out', definition: defineField({ ...intOrString, anyOf: either }) },
  { name: 'an integer or text among all', definition: defineField({ ...intOrString, allOf: [{ anyOf: either }, { pattern: 'a' }] }) },
  { name: 'an integer or text the other way round', definition: defineField({ ...intOrString, anyOf: [...either].reverse() }) },
  { name: 'an integer or text written out alone', definition: defineField({ type: 'string', anyOf: either }) },
  { name: 'an integer or text that preserves fields', definition: defineField({ ...intOrString, ...preserve }) },
  { name: 'an integer or text that is embedded', definition: defineField({ ...intOrString, ...embedded, type: 'object', properties: { a: text } }) },
  { name: 'an integer or text of a type', definition: defineField({ ...intOrString, type: 'integer' }) },
  // Embedded resources
  { name: 'an embedded resource', definition: defineField({ type: 'object', ...embedded, ...preserve }) },
  { name: 'an embedded resource without fields', definition: defineField({ type: 'object', ...embedded }) },
  { name: 'an embedded resource without type', definition: defineField({ ...embedded, ...preserve }) },
  { name: 'an embedded resource of another type', definition: defineField({ type: 'string', ...embedded, ...preserve }) },
  { name: 'an embedded resource of additional properties', definition: defineField({ type: 'object', ...embedded, additionalProperties: text }) },
  { name: 'an embedded resource with metadata', definition: defineField({ type: 'object', ...embedded, properties: { kind: { type: 'integer' }, apiVersion: text, metadata: { type: 'string' }, spec: text } }) },
  { name: 'an embedded resource within its metadata', definition: defineField({ type: 'object', ...embedded, properties: { metadata: { type: 'object', properties: { a: { type: 'object', ...embedded, ...preserve } } } } }) },
  // The root's own fields
  { name: 'kind and apiVersion of other types', definition: defineSchema({ type: 'object', properties: { kind: { type: 'object' }, apiVersion: { type: 'integer' } } }) },
  { name: 'metadata of another type', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'string' } } }) },
  { name: 'metadata with a name', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 }, generateName: text } } } }) },
  { name: 'metadata with labels', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object', properties: { name: text, labels: { type: 'object', additionalProperties: text } } } } }) },
  { name: 'metadata with a description', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object', description: 'd' } } }) },
  { name: 'metadata with a limit', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object', maxProperties: 2 } } }) },
  { name: 'metadata that requires', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object', required: ['name'] } } }) },
  { name: 'metadata with a default', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object', default: {} }, kind: { type: 'string', default: 'a' } } }) },
  // Below alternatives
  { name: 'everything below an alternative', definition: defineField({ type: 'object', properties: { a: text }, anyOf: [{ type: 'object', title: 't', description: 'd', default: 1, nullable: true, ...preserve, ...embedded, ...intOrString, 'x-kubernetes-list-map-keys': ['a'], 'x-kubernetes-list-type': 'set', 'x-kubernetes-map-type': 'atomic', 'x-kubernetes-validations': [{ rule: 'true' }], additionalProperties: true }] }) },
  { name: 'limits below alternatives', definition: defineField({ type: 'object', properties: { a: text, l: { type: 'array', items: text } }, oneOf: [{ required: ['a'] }, { properties: { a: { minLength: 1 } } }], allOf: [{ minProperties: 1 }], not: { properties: { l: { items: { maxLength: 1 } } } } }) },
  { name: 'fields below alternatives that are not there', definition: defineSchema({ type: 'object', properties: { a: text }, oneOf: [{ properties: { b: { minLength: 1 } } }], not: { items: { maxLength: 1 } }, allOf: [{ properties: { a: { properties: { z: {} } } } }] }) },
  { name: 'fields below alternatives of a field that are not there', definition: defineField({ type: 'object', properties: { a: text }, oneOf: [{ properties: { b: { minLength: 1 } } }] }) },
  { name: 'metadata below an alternative', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object' } }, anyOf: [{ properties: { metadata: {} } }] }) },
  { name: 'a type below not', definition: defineField({ type: 'string', not: { type: 'string', enum: ['a'] } }) },
  { name: 'additional properties below an alternative', definition: defineField({ type: 'object', additionalProperties: text, anyOf: [{ additionalProperties: { maxLength: 1 } }, { additionalProperties: false }] }) },
  { name: 'alternatives of items', definition: defineField({ type: 'array', items: { type: 'string', anyOf: [{ maxLength: 1 }, { type: 'string' }] } }) },
  // Map and list types
  { name: 'a map type of a text', definition: defineField({ type: 'string', 'x-kubernetes-map-type': 'atomic' }) },
  { name: 'a map type without type', definition: defineField({ ...preserve, 'x-kubernetes-map-type': 'granular' }) },
  { name: 'a map type that is none', definition: defineField({ type: 'object', 'x-kubernetes-map-type': 'set' }) },
  { name: 'a list type of a text', definition: defineField({ type: 'string', 'x-kubernetes-list-type': 'set' }) },
  { name: 'a list type without type', definition: defineField({ ...preserve, 'x-kubernetes-list-type': 'atomic' }) },
  { name: 'a list type that is none', definition: list('any', text) },
  { name: 'a set of texts', definition: list('set', text) },
  { name: 'a set of objects', definition: list('set', item({ a: text })) },
  { name: 'a set of atomic objects', definition: list('set', item({ a: text }, { 'x-kubernetes-map-type': 'atomic' })) },
  { name: 'a set of lists', definition: list('set', { type: 'array', items: text }) },
  { name: 'a set of sets', definition: list('set', { type: 'array', items: text, 'x-kubernetes-list-type': 'set' }) },
  { name: 'a set of nulls', definition: list('set', { type: 'string', nullable: true }) },
  { name: 'a map', definition: list('map', item({ a: text }, { required: ['a'] }), keys('a')) },
  { name: 'a map without keys', definition: list('map', item({ a: text })) },
  { name: 'a map without items', definition: list('map', undefined, keys('a')) },
  { name: 'a map with a list of items', definition: defineField({ type: 'array', items: [text], 'x-kubernetes-list-type': 'map', ...keys('a') }) },
  { name: 'a map of texts', definition: list('map', text, keys('a')) },
  { name: 'a map by what is not there', definition: list('map', item({ a: text }), keys('b', 'b')) },
  { name: 'a map by what is no scalar', definition: list('map', item({ a: { type: 'object' }, l: { type: 'array', items: text } }, { required: ['a', 'l'] }), keys('a', 'l')) },
  { name: 'a map by the same twice', definition: list('map', item({ a: text }, { required: ['a'] }), keys('a', 'a')) },
  { name: 'a map by what may be absent', definition: list('map', item({ a: text, b: { type: 'string', default: 'x' }, c: { type: 'string', nullable: true } }, { required: ['c'], nullable: true }), keys('a', 'b', 'c')) },
  { name: 'keys without a list type', definition: list(undefined, item({ a: text }), keys('a')) },
  { name: 'keys of a set', definition: list('set', text, keys('a')) },
  // Formats of the body
  { name: 'a type that is a number', definition: defineField({ type: 5 }) },
  { name: 'a type of items that is a number', definition: defineField({ type: 'array', items: { type: 5 } }) },
  { name: 'items that are a text', definition: defineField({ type: 'array', items: 'string' }) },
  { name: 'additional properties that are a text', definition: defineField({ type: 'object', additionalProperties: 'string' }) },
  { name: 'unknown fields in items', definition: defineField({ type: 'array', items: { type: 'string', unknown: 1 } }) },
  { name: 'nothing where a schema could be', definition: defineField({ type: 'object', additionalProperties: null, items: null, default: null, not: null, enum: null }) },
];
