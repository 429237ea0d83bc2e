import { expect, it } from 'vitest';

import type { JsonObject } from '../../../core/meta/json.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { isLongDefinition } from './is-long-definition.ts';
import { defineField } from './testdata/definition-case.ts';

const text = { type: 'string' };
const rules = (...list: string[]): JsonObject => ({ 'x-kubernetes-validations': list.map((rule) => ({ rule })) });

it.for<[name: string, schema: JsonObject, isLong: boolean]>([
  ['a small schema', { type: 'object', properties: { a: text } }, false],
  ['some rules', { type: 'object', properties: { a: text }, ...rules('self.a == "a"', 'self.a != "b"') }, false],
  ['many rules', { type: 'object', ...rules(...Array.from({ length: 25 }, (_, index) => `${index} > 0`)) }, true],
  ['a long rule', { type: 'object', ...rules(`"${'a'.repeat(5_000)}" == ""`) }, true],
  ['a pattern that repeats', { type: 'string', pattern: '(a{100}){100}' }, true],
  [
    'many fields',
    {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f${index}`, text])),
    },
    true,
  ],
  ['a long message', { ...text, 'x-kubernetes-validations': [{ rule: 'true', message: 'a'.repeat(200_000) }] }, true],
  [
    'a field path that is long',
    { ...text, 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.a'.repeat(5_000) }] },
    true,
  ],
  ['many keys', { type: 'array', 'x-kubernetes-list-map-keys': Array.from({ length: 5_000 }, () => 'a') }, true],
  ['a long default', { type: 'string', default: 'a'.repeat(10_000) }, true],
  ['a large default', { type: 'array', items: text, default: Array.from({ length: 500 }, () => 'a') }, true],
  ['a default', { type: 'string', default: 'a' }, false],
  ['a default that rules are run on', { type: 'string', default: 'a', ...rules('self == "a"') }, true],
])('a definition of %s is judged aside, or not', ([, schema, isLong]) => {
  expect(isLongDefinition(defineField(schema) as unknown as CustomResourceDefinition)).toBe(isLong);
});
