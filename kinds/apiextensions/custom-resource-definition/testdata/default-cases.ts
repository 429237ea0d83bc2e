import type { JsonObject, JsonValue } from '../../../../core/meta/json.ts';
import { defineField, defineSchema, type DefinitionCase } from './definition-case.ts';

const text = { type: 'string' };
const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
const open = { 'x-kubernetes-preserve-unknown-fields': true };

function withDefault(schema: JsonObject, value: JsonValue): JsonObject {
  return defineField({ type: 'object', properties: { f: { ...schema, default: value } } });
}

function ruled(schema: JsonObject, value: JsonValue, ...rules: JsonObject[]): JsonObject {
  return withDefault({ ...schema, 'x-kubernetes-validations': rules }, value);
}

const inMetadata = (properties: JsonObject): JsonObject =>
  defineField({ ...embedded, ...open, properties: { metadata: { type: 'object', properties } } });

/** Definitions whose defaults are right or wrong. */
export const defaultCases: readonly DefinitionCase[] = [
  { name: 'a default', definition: withDefault(text, 'a') },
  { name: 'a default of another type', definition: withDefault(text, 1) },
  { name: 'a number as the default of an integer', definition: withDefault({ type: 'integer' }, 1.5) },
  { name: 'a whole number as the default of a number', definition: withDefault({ type: 'number' }, 1) },
  { name: 'a list as the default of an object', definition: withDefault({ type: 'object' }, []) },
  { name: 'a default that is null', definition: withDefault(text, null) },
  { name: 'a default that is null where it may be', definition: withDefault({ type: 'string', nullable: true }, null) },
  { name: 'a default with a null within', definition: withDefault({ type: 'object', properties: { a: text, b: { type: 'string', nullable: true } } }, { a: null, b: null }) },
  { name: 'a default beyond bounds', definition: withDefault({ type: 'integer', minimum: 2, maximum: 3, multipleOf: 2 }, 5) },
  { name: 'a default that is too long', definition: withDefault({ type: 'string', maxLength: 2 }, 'abc') },
  { name: 'a default that is too short', definition: withDefault({ type: 'string', minLength: 2 }, 'a') },
  { name: 'a default that does not match', definition: withDefault({ type: 'string', pattern: '^a$' }, 'b') },
  { name: 'a default of another format', definition: withDefault({ type: 'string', format: 'date-time' }, 'yesterday') },
  { name: 'a flag as default of an integer with a format', definition: withDefault({ type: 'integer', format: 'int32' }, true) },
  { name: 'a fraction as default of an integer with a format', definition: withDefault({ type: 'integer', format: 'int64' }, 1.5) },
  { name: 'a text as default of an integer with a format', definition: withDefault({ type: 'integer', format: 'int32' }, 'a') },
  { name: 'a list as default of a text with an unknown format', definition: withDefault({ type: 'string', format: 'nonsense' }, ['a']) },
  { name: 'a default outside an enumeration', definition: withDefault({ type: 'string', enum: ['a', 'b'] }, 'c') },
  { name: 'a default without what is required', definition: withDefault({ type: 'object', required: ['a'], properties: { a: text } }, {}) },
  { name: 'a default with too many items', definition: withDefault({ type: 'array', items: text, maxItems: 1 }, ['a', 'b']) },
  { name: 'a default with wrong items', definition: withDefault({ type: 'array', items: text }, ['a', 1, {}]) },
  { name: 'a default with wrong fields', definition: withDefault({ type: 'object', properties: { a: { type: 'object', properties: { b: text } } } }, { a: { b: 1 } }) },
  { name: 'a default with unknown fields', definition: withDefault({ type: 'object', properties: { a: text } }, { a: 'x', z: { b: 1, a: 2 } }) },
  { name: 'a default with unknown fields where they stay', definition: withDefault({ type: 'object', ...open, properties: { a: text } }, { a: 'x', z: 1 }) },
  { name: 'a default with unknown and wrong fields', definition: withDefault({ type: 'object', properties: { a: text } }, { a: 1, z: 1 }) },
  { name: 'a default that meets no alternative', definition: withDefault({ type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] }, {}) },
  { name: 'a default that meets what it must not', definition: withDefault({ type: 'string', not: { enum: ['a'] } }, 'a') },
  { name: 'an integer or text as default', definition: withDefault({ 'x-kubernetes-int-or-string': true }, '5%') },
  { name: 'neither integer nor text as default', definition: withDefault({ 'x-kubernetes-int-or-string': true }, true) },
  { name: 'a set with duplicates as default', definition: withDefault({ type: 'array', items: text, 'x-kubernetes-list-type': 'set' }, ['a', 'a']) },
  { name: 'a default within items', definition: defineField({ type: 'array', items: { type: 'object', properties: { a: { type: 'string', default: 1 } } } }) },
  { name: 'a default within values', definition: defineField({ type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string', default: 'x' } } } }) },
  { name: 'a wrong default within values', definition: defineField({ type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string', default: 1 } } } }) },
  { name: 'defaults at two levels', definition: defineField({ type: 'object', default: { a: 1 }, properties: { a: { type: 'string', default: 2 } } }) },
  { name: 'a default of the root', definition: defineSchema({ type: 'object', default: {}, properties: { a: text } }) },
  { name: 'a wrong default of the root', definition: defineSchema({ type: 'object', default: { spec: 1 }, properties: { spec: text } }) },
  // Resources
  { name: 'a resource as default', definition: withDefault({ ...embedded, ...open }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} }) },
  { name: 'a resource without type as default', definition: withDefault({ ...embedded, ...open }, {}) },
  { name: 'a resource of wrong types as default', definition: withDefault({ ...embedded, ...open }, { apiVersion: 'a/b/c', kind: 'a_b', metadata: { name: 'a/b' } }) },
  { name: 'a resource of types that are no texts as default', definition: withDefault({ ...embedded, ...open }, { apiVersion: 1, kind: 'A' }) },
  { name: 'a resource with wrong metadata as default', definition: withDefault({ ...embedded, ...open }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 5 } }) },
  { name: 'a resource with unknown fields as default', definition: withDefault({ ...embedded, properties: { spec: text } }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, other: 1 }) },
  { name: 'defaults within a resource', definition: defineField({ ...embedded, ...open, properties: { spec: { type: 'object', properties: { a: { type: 'string', default: 1 } } } } }) },
  { name: 'a name as default within a resource', definition: inMetadata({ name: { type: 'string', default: 'a' } }) },
  { name: 'a wrong name as default within a resource', definition: inMetadata({ name: { type: 'string', default: 'a/b' } }) },
  { name: 'a name of another type as default within a resource', definition: inMetadata({ name: { type: 'integer', default: 5 } }) },
  { name: 'labels as default within a resource', definition: inMetadata({ labels: { type: 'object', additionalProperties: text, default: { 'a b': '!' } } }) },
  { name: 'finalizers as default within a resource', definition: inMetadata({ finalizers: { type: 'array', items: { type: 'string', default: 'x' }, default: ['a_'] } }) },
  { name: 'a kind as default within a resource', definition: defineField({ ...embedded, ...open, properties: { kind: { type: 'string', default: 'Pod' }, apiVersion: { type: 'string', default: 'a/b/c' } } }) },
  { name: 'metadata of the root with a name as default', definition: defineSchema({ type: 'object', properties: { metadata: { type: 'object', properties: { name: { type: 'string', default: 'a' } } } } }) },
  { name: 'values within metadata with a default', definition: inMetadata({ x: { type: 'object', additionalProperties: { type: 'string', default: 'a' } } }) },
  // Rules
  { name: 'a default that meets a rule', definition: ruled({ type: 'integer' }, 5, { rule: 'self > 3' }) },
  { name: 'a default that meets no rule', definition: ruled({ type: 'integer' }, 2, { rule: 'self > 3' }) },
  { name: 'a default with a message', definition: ruled({ type: 'integer' }, 2, { rule: 'self > 3', messageExpression: '"not " + string(self)', reason: 'FieldValueForbidden' }) },
  { name: 'a default that may not be new', definition: ruled({ type: 'integer' }, 2, { rule: 'oldSelf.hasValue()', optionalOldSelf: true }) },
  { name: 'a default that changes', definition: ruled({ type: 'integer' }, 2, { rule: 'self > oldSelf' }) },
  { name: 'a default with a wrong rule', definition: ruled({ type: 'integer' }, 2, { rule: 'self > "a"' }) },
  { name: 'a default that meets no rule within', definition: withDefault({ type: 'object', properties: { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 3' }] } } }, { a: 1 }) },
  { name: 'a default that meets no rule around', definition: defineField({ type: 'object', properties: { f: { type: 'integer', default: 1 } }, 'x-kubernetes-validations': [{ rule: 'self.f > 3' }] }) },
];
