import fc from 'fast-check';

import type { JsonValue } from '../../core/meta/json.ts';
import type { JsonSchemaProps } from '../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';

/** A schema, and values some of which it takes. */
export interface GeneratedSchema {
  readonly schema: JsonSchemaProps;
  readonly values: readonly JsonValue[];
}

type Rules = NonNullable<JsonSchemaProps['x-kubernetes-validations']>;

const names = ['a', 'b', 'c-d', 'e'] as const;
const words = ['', 'a', 'b', 'ab', 'aab', 'text', 'x-y', 'ünï', '2024-01-01', '10.0.0.1', '5s', 'YQ=='];
const formats = ['date', 'duration', 'ipv4', 'byte', 'uuid', 'date-time', 'uri', 'other'];
const word = fc.constantFrom(...words);
const whole = fc.constantFrom(-3, 0, 1, 2, 5, 7, 10, 100);
const fraction = fc.constantFrom(-1.5, 0.5, 1, 2.25, 10, 1e6);
const anything: fc.Arbitrary<JsonValue> = fc.oneof(
  word,
  whole,
  fraction,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom<JsonValue>([], {}, ['a', 1], { a: 1, b: { a: 'x' } }),
);

/** Members that are sometimes there. */
function some(members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<JsonSchemaProps> {
  return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<JsonSchemaProps>;
}

const textRules = some({
  minLength: fc.constantFrom(0, 0, 1, 2),
  maxLength: fc.constantFrom(2, 8, 12),
  pattern: fc.constantFrom('^a', 'b$', '^[a-z]+$', '[0-9]'),
  enum: fc.uniqueArray(word, { minLength: 1, maxLength: 4 }),
});
const integerRules = some({
  minimum: fc.constantFrom(0, 1, 1.5),
  maximum: fc.constantFrom(5, 7.5, 10),
  exclusiveMinimum: fc.boolean(),
  exclusiveMaximum: fc.boolean(),
  multipleOf: fc.constantFrom(1, 2, 5),
  enum: fc.uniqueArray(whole, { minLength: 1, maxLength: 4 }),
});
const numberRules = some({
  minimum: fc.constantFrom(-1, 0.5),
  maximum: fc.constantFrom(2.25, 10),
  exclusiveMaximum: fc.boolean(),
  multipleOf: fc.constantFrom(0.5, 0.25, 1),
});

/** Alternatives of the rules of one type. */
function alternatives(rules: fc.Arbitrary<JsonSchemaProps>): fc.Arbitrary<JsonSchemaProps> {
  const several = fc.array(rules, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record({ anyOf: several }) },
    { weight: 1, arbitrary: fc.record({ oneOf: several }) },
    { weight: 1, arbitrary: fc.record({ allOf: several }) },
    { weight: 1, arbitrary: fc.record({ not: rules }) },
  );
}

function rulesOf(...rules: readonly string[]): fc.Arbitrary<JsonSchemaProps> {
  const one = fc.record(
    {
      rule: fc.constantFrom(...rules),
      message: fc.constantFrom('is wrong', ''),
      reason: fc.constantFrom('FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate', 'FieldValueInvalid'),
    },
    { requiredKeys: ['rule'] },
  );
  const list = fc.uniqueArray(one, { minLength: 1, maxLength: 2, selector: ({ rule }) => rule });
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: list.map((all) => ({ 'x-kubernetes-validations': all as Rules })) },
  );
}

/** A schema of everything that these say. */
function merge(...parts: readonly fc.Arbitrary<JsonSchemaProps>[]): fc.Arbitrary<JsonSchemaProps> {
  return fc.tuple(...parts).map((all) => Object.assign({}, ...all) as JsonSchemaProps);
}

const nullable = fc.constantFrom<JsonSchemaProps>({}, {}, {}, { nullable: true });

const leaf: fc.Arbitrary<GeneratedSchema> = fc.oneof(
  pair(
    merge(
      fc.constant({ type: 'string', maxLength: 30 }),
      textRules,
      alternatives(textRules),
      some({ format: fc.constantFrom(...formats) }).map((part) => (part.format === undefined ? {} : part)),
      nullable,
      fc.constantFrom<JsonSchemaProps>({}, {}, { default: 'a' }),
    ),
    word,
  ),
  pair(merge(fc.constant({ type: 'string', maxLength: 30 }), nullable, rulesOf('self.size() > 1', 'self.startsWith("a")', 'self == oldSelf')), word),
  pair(merge(fc.constant({ type: 'integer' }), integerRules, alternatives(integerRules), nullable), whole),
  pair(merge(fc.constant({ type: 'integer' }), rulesOf('self > 1', 'self >= oldSelf', 'self % 5 == 0 || 10 / self > 2')), whole),
  pair(merge(fc.constant({ type: 'number' }), numberRules, alternatives(numberRules), rulesOf('self > 0.5')), fraction),
  pair(merge(fc.constant({ type: 'boolean' }), nullable, rulesOf('self', '!self || oldSelf')), fc.boolean()),
  pair(merge(fc.constant({ 'x-kubernetes-int-or-string': true }), textRules, rulesOf('type(self) == int ? self < 5 : self.size() < 3')), fc.oneof(word, whole)),
  pair(fc.constant({ 'x-kubernetes-preserve-unknown-fields': true }), anything),
); // prettier-ignore

/** A schema and five values: mostly of its type, some of any. */
function pair(schema: fc.Arbitrary<JsonSchemaProps>, right: fc.Arbitrary<JsonValue>): fc.Arbitrary<GeneratedSchema> {
  const value = fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: anything });
  return fc.record({ schema, values: fc.array(value, { minLength: 5, maxLength: 5 }) });
}

function pick(values: readonly JsonValue[], seed: number): JsonValue {
  return values[seed % values.length] ?? null;
}

function listOf(inner: fc.Arbitrary<GeneratedSchema>): fc.Arbitrary<GeneratedSchema> {
  const rules = merge(
    some({ minItems: fc.constantFrom(0, 1), maxItems: fc.constantFrom(2, 4) }),
    fc.constantFrom<JsonSchemaProps>({}, {}, { 'x-kubernetes-list-type': 'atomic' }),
    rulesOf('self.size() > 1', 'self.size() >= oldSelf.size()'),
  );
  const picks = fc.array(fc.array(fc.nat({ max: 99 }), { maxLength: 4 }), { minLength: 5, maxLength: 5 });
  return fc.tuple(inner, rules, picks).map(([{ schema, values }, own, seeds]) => ({
    schema: { type: 'array', maxItems: 9, ...own, items: schema },
    values: seeds.map((list) => list.map((seed) => pick(values, seed))),
  }));
}

function mapOf(inner: fc.Arbitrary<GeneratedSchema>): fc.Arbitrary<GeneratedSchema> {
  const rules = merge(
    some({ minProperties: fc.constantFrom(0, 1), maxProperties: fc.constantFrom(1, 3) }),
    rulesOf('self.size() > 1', '"a" in self', 'self.all(k, k in oldSelf)'),
  );
  const entries = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b.c', 'd'), fc.nat({ max: 99 })), {
    maxLength: 3,
    selector: ([key]) => key,
  });
  return fc
    .tuple(inner, rules, fc.array(entries, { minLength: 5, maxLength: 5 }))
    .map(([{ schema, values }, own, maps]) => ({
      schema: { type: 'object', maxProperties: 9, ...own, additionalProperties: schema },
      values: maps.map((map) => Object.fromEntries(map.map(([key, seed]) => [key, pick(values, seed)]))),
    }));
}

function objectOf(inner: fc.Arbitrary<GeneratedSchema>): fc.Arbitrary<GeneratedSchema> {
  const fields = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), inner), {
    minLength: 1,
    maxLength: 4,
    selector: ([name]) => name,
  });
  const required = fc.subarray([...names], { maxLength: 2 });
  const open = fc.constantFrom<JsonSchemaProps>({}, {}, {}, { 'x-kubernetes-preserve-unknown-fields': true });
  const choice = alternatives(fc.subarray([...names], { minLength: 1 }).map((list) => ({ required: list })));
  const picks = fc.array(fc.array(fc.nat({ max: 99 }), { minLength: 5, maxLength: 5 }), { minLength: 5, maxLength: 5 });
  return fc.tuple(fields, required, open, choice, picks).map(([list, wanted, own, others, seeds]) => {
    const known = wanted.filter((name) => list.some(([field]) => field === name));
    return {
      schema: {
        type: 'object',
        ...own,
        ...others,
        ...(known.length === 0 ? {} : { required: known }),
        properties: Object.fromEntries(list.map(([name, { schema }]) => [name, schema])),
      },
      values: seeds.map((row) => {
        const members = list.flatMap(([name, { values }], i) =>
          (row[i] ?? 0) % 4 === 0 ? [] : [[name, pick(values, row[i] ?? 0)] as const],
        );
        return { ...Object.fromEntries(members), ...((row[4] ?? 0) % 5 === 0 ? { unknown: 1 } : {}) };
      }),
    };
  });
}

function nest(inner: fc.Arbitrary<GeneratedSchema>): fc.Arbitrary<GeneratedSchema> {
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: listOf(inner) },
    { weight: 1, arbitrary: mapOf(inner) },
    { weight: 2, arbitrary: objectOf(inner) },
  );
}

/** Schemas of objects with values, each time the same for a seed. */
export function generateSchemas(seed: number, count: number): GeneratedSchema[] {
  return fc.sample(objectOf(nest(nest(leaf))), { seed, numRuns: count });
}
