import { expect, it } from 'vitest';

import { makeInvalidError } from '../../../core/errors/make-status-error.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { applyDefinitionDefaults } from './defaults.ts';
import { isLongDefinition } from './is-long-definition.ts';
import { define, defineField, defineSchema, nameCase } from './testdata/definition-case.ts';
import { validateDefinitionUpdate, validateNewDefinition } from './validate.ts';

/** Where it takes time that grows with the square of the size, it takes minutes. */
const enoughMillis = 8_000;
/** Characters that a status may have around the texts of its causes, each of which is there twice. */
const enoughCharacters = 8 << 20;

const text = { type: 'string' };
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const named = (count: number, value: JsonObject): JsonObject =>
  Object.fromEntries(many(count, (index) => [`f${index}`, value]));
const convert = (conversionReviewVersions: string[]): JsonObject =>
  define({
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions } },
  });
const servicePath = (path: string): JsonObject => {
  const clientConfig = { service: { namespace: 'a', name: 'b', path } };
  return define({ conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
};
const listMap = (keys: string[], items: JsonObject): JsonObject =>
  defineField({ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items });
const rule = (parts: JsonObject): JsonObject => ({ 'x-kubernetes-validations': [{ rule: 'true', ...parts }] });

it.for<[name: string, definition: JsonObject, detail: string]>([
  ['review versions', convert(many(150_000, (index) => `a${index}`)), 'must include at least one of v1, v1beta1'],
  ['review versions that are one', convert(many(150_000, () => 'v1')), 'duplicate version'],
  [
    'keys of no property',
    listMap(
      many(150_000, (i) => `f${i}`),
      { type: 'object' },
    ),
    'must all be names of item',
  ],
  [
    'keys that are optional',
    listMap(
      many(50_000, (i) => `f${i}`),
      { type: 'object', properties: named(50_000, text), required: many(50_000, (i) => `x${i}`) },
    ),
    'must have a default or be a required property',
  ],
  ['segments of a path', servicePath('/'.repeat(500_000)), 'may not be empty'],
  ['fields without a type', defineField({ type: 'object', properties: named(150_000, {}) }), 'must not be empty for'],
  [
    'parts of nothing',
    defineField({ type: 'object', allOf: many(200_000, () => ({ type: 'a' })) }),
    'must be empty to be',
  ],
  [
    'fields below a long name',
    defineField({
      type: 'object',
      properties: { ['k'.repeat(1_000_000)]: { type: 'object', properties: named(2_000, {}) } },
    }),
    'must not be empty for specified object fields',
  ],
  [
    'fields of the root',
    defineSchema({ type: 'object', ...rule({ rule: '1' }), properties: named(30_000, text) }),
    'cel',
  ],
  [
    'blanks within a message',
    defineField({ ...text, ...rule({ message: `x${' '.repeat(1 << 20)}\ny` }) }),
    'line breaks',
  ],
  ['blanks for a message', defineField({ ...text, ...rule({ message: ' '.repeat(1 << 20) }) }), 'must be non-empty if'],
  [
    'versions',
    define({ versions: many(15_000, (i) => ({ name: `v${i}`, served: true, storage: true })) }),
    'Required value',
  ],
])('a definition of many %s is refused in time', { timeout: 60_000 }, ([, body, detail]) => {
  const object = deepClone(nameCase(body, 0)) as unknown as KubeObject;
  applyDefinitionDefaults(object);
  const definition = object as unknown as CustomResourceDefinition;
  const before = process.threadCpuUsage();
  expect(isLongDefinition(definition)).toBe(true);
  const errors = validateNewDefinition(definition);
  const { message } = makeInvalidError('apiextensions.k8s.io', 'CustomResourceDefinition', 'a', errors).status;
  validateDefinitionUpdate(definition, definition);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(enoughMillis);
  expect(message).toContain(detail);
  expect(message?.length).toBeLessThan(enoughCharacters);
});

it('the versions that objects are stored as are looked for in time', { timeout: 60_000 }, () => {
  const object = deepClone(nameCase(defineField(text), 0)) as unknown as KubeObject;
  applyDefinitionDefaults(object);
  const definition = object as unknown as CustomResourceDefinition;
  definition.status = { storedVersions: many(200_000, (index) => `v${index + 2}`) };
  const before = process.threadCpuUsage();
  expect(validateNewDefinition(definition)).toHaveLength(200_001);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(enoughMillis);
});
