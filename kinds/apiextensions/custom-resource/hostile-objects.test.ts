import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../core/decode/parse-json.ts';
import { formatFieldError } from '../../../core/errors/make-field-error.ts';
import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import { JudgementTakesLong, judgeCreate } from '../../judge-write.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import type {
  CustomResourceDefinition,
  JsonSchemaProps,
} from '../custom-resource-definition/custom-resource-definition.ts';
import { defineCustomKinds } from './define-custom-kinds.ts';

const longKey = 'k'.repeat(1_000_000);
const context = { domain: 'example.org', nowMillis: 0, mayTakeLong: true };
/** Far more than any case takes, and far less than any of them took without a bound. */
const enoughMillis = 5_000;

function define(spec: JsonSchemaProps): KindDefinition {
  const schema: JsonSchemaProps = { type: 'object', properties: { spec } };
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.org', uid: 'u', generation: 1 },
    spec: {
      group: 'example.org',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  const [kind] = defineCustomKinds(definition);
  if (kind === undefined) throw new Error('no kind was defined');
  return kind;
}

function makeThing(spec: JsonValue): JsonObject {
  return { apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'a' }, spec };
}

function decode(kind: KindDefinition, object: JsonObject) {
  const decoded = kind.decode?.(object, {});
  if (decoded === undefined || 'fault' in decoded) throw new Error(decoded?.fault);
  return decoded;
}

function judge(kind: KindDefinition, spec: JsonValue): string[] {
  return judgeCreate(kind.strategy, decode(kind, makeThing(spec)).object as never, context).faults.map(
    formatFieldError,
  );
}

function repeat<Item>(count: number, make: (i: number) => Item): Item[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

function nameEach<Value>(count: number, value: Value): Record<string, Value> {
  return Object.fromEntries(repeat(count, (i) => [`n${i}`, value]));
}

/** What `act` answers, when it is quick. */
function hurry<Answer>(act: () => Answer): Answer {
  const before = process.threadCpuUsage();
  const answer = act();
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(enoughMillis);
  return answer;
}

const text: JsonSchemaProps = { type: 'string' };
const integers: JsonSchemaProps = { type: 'array', items: { type: 'integer' } };

describe('unknown fields', () => {
  const known: JsonSchemaProps = {
    type: 'object',
    additionalProperties: { type: 'object', properties: { known: text } },
  };

  it('are told the least first, a hundred of them', () => {
    const { unknownFields } = decode(define(known), makeThing({ a: nameEach(5_000, 1) }));
    const all = Object.keys(nameEach(5_000, 1)).map((name) => `spec.a.${name}`);
    expect(unknownFields).toEqual(all.sort().slice(0, 100));
  });

  it.for<[string, JsonValue, number]>([
    ['below a long name', { [longKey]: nameEach(4_000, 1) }, 1],
    ['very many of them', { a: nameEach(130_000, 1) }, 100],
    ['in very many objects', nameEach(50_000, { x: 1 }), 100],
  ])('cost little: %s', ([, spec, told]) => {
    const kind = define(known);
    const decoded = hurry(() => decode(kind, makeThing(spec)));
    expect(decoded.unknownFields).toHaveLength(told);
    expect(decoded.strictFaults).toHaveLength(told);
    expect(Object.values(decoded.object['spec'] as JsonObject)[0]).toEqual({});
  });
});

describe('fields that occur again', () => {
  it.for<[string, string, string[]]>([
    ['one many times', `{"a":{${repeat(50_000, () => '"x":1').join(',')}}}`, ['duplicate field "a.x"']],
    [
      'many at once',
      `{${repeat(20_000, (i) => `"x${i}":1,"x${i}":1`).join(',')}}`,
      repeat(100, (i) => `duplicate field "x${i}"`),
    ],
    [
      'below a long name',
      `{"${longKey}":[${repeat(4_000, () => '{"x":1,"x":1}').join(',')}]}`,
      [`duplicate field "${longKey}[0].x"`],
    ],
  ])('cost little: %s', ([, body, told]) => {
    const kind = define({ type: 'object' });
    const parsed = parseJson(Buffer.from(body));
    if ('fault' in parsed) throw new Error(parsed.fault);
    const decoded = hurry(() => kind.decode?.(parsed.value, { notes: parsed.notes }));
    const faults = decoded === undefined || 'fault' in decoded ? [] : decoded.strictFaults;
    expect(faults.filter((fault) => fault.startsWith('duplicate'))).toEqual(told);
  });
});

describe('faults', () => {
  const wrong = repeat(4_000, () => 'a');

  it.for<[string, JsonSchemaProps, JsonValue]>([
    ['types below a long name', { type: 'object', additionalProperties: integers }, { [longKey]: wrong }],
    [
      'alternatives below a long name',
      {
        type: 'object',
        additionalProperties: { ...integers, items: { anyOf: [{ type: 'integer' }], type: 'integer' } },
      },
      { [longKey]: wrong },
    ],
    [
      'items that occur again below a long name',
      {
        type: 'object',
        additionalProperties: { type: 'array', items: { ...integers, 'x-kubernetes-list-type': 'set' } },
      },
      { [longKey]: repeat(4_000, () => [1, 1]) },
    ],
    [
      'a large enumeration',
      { type: 'array', items: { type: 'string', enum: repeat(100_000, (i) => `value${i}`) } },
      repeat(5_000, () => 'a'),
    ],
  ])('are told as far as an answer holds them: %s', ([, schema, spec]) => {
    const faults = hurry(() => judge(define(schema), spec));
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join('').length).toBeLessThan(5_000_000);
  });

  it('are all told where they are short', () => {
    expect(judge(define(integers), wrong)).toHaveLength(4_000);
  });

  it('keep rules from being asked, although not all are told', () => {
    const kind = define({
      type: 'object',
      properties: { n: { type: 'integer' } },
      additionalProperties: { type: 'array', items: { type: 'integer', minimum: 5 } },
      'x-kubernetes-validations': [{ rule: 'self.n > 0' }],
    });
    const { object } = decode(kind, makeThing({ [longKey]: [1, 1, 1], n: 'a' }));
    const faults = kind.strategy.validateCreate(object as never, context);
    expect(faults.map(({ type }) => type)).toContain('FieldValueTypeInvalid');
    expect(faults.at(-1)?.detail).toContain('some validation rules were not checked');
  });
});

describe('whether an object takes long', () => {
  it.for<[string, JsonSchemaProps, JsonValue, boolean]>([
    ['few values', integers, repeat(1_000, (i) => i), false],
    ['many values', integers, repeat(10_000, (i) => i), true],
    ['many values of no schema', { 'x-kubernetes-preserve-unknown-fields': true }, repeat(10_000, (i) => i), true],
    [
      'many alternatives',
      { type: 'array', items: { type: 'integer', anyOf: repeat(300, () => ({ minimum: 5 })) } },
      repeat(100, () => 1),
      true,
    ],
    [
      'nested alternatives',
      { allOf: repeat(100, () => ({ anyOf: repeat(100, () => ({ minimum: 5 })) })), type: 'integer' },
      1,
      true,
    ],
    [
      'a large enumeration',
      { type: 'array', items: { type: 'integer', enum: repeat(10_000, (i) => i) } },
      repeat(10, () => 1),
      true,
    ],
    ['a large enumeration of few values', { type: 'integer', enum: repeat(10_000, (i) => i) }, 1, false],
    [
      'many declared fields',
      { type: 'array', items: { type: 'object', properties: nameEach(1_000, text) } },
      repeat(100, () => ({})),
      true,
    ],
    ['a long text with a pattern', { type: 'string', pattern: '^(a|b)*c$' }, 'a'.repeat(100_000), true],
    [
      'a long text with many small patterns',
      { type: 'string', allOf: repeat(100, () => ({ pattern: '^a' })) },
      'a'.repeat(2_000),
      true,
    ],
    [
      'a long text beside a pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: '^(a|b)*c$' }, b: text } },
      { a: 'c', b: 'a'.repeat(100_000) },
      false,
    ],
  ])('%s', ([, schema, spec, expected]) => {
    const kind = define(schema);
    const object = makeThing(spec) as never;
    expect(hurry(() => kind.strategy.takesLong?.(object))).toBe(expected);
  });
});

describe('rules', () => {
  it.for<[string, number, number, boolean]>([
    ['few short ones', 5, 1, false],
    ['many short ones', 100, 1, true],
    ['a long one', 1, 1_000, true],
  ])('are compiled where nobody waits when that takes long: %s', ([, count, parts, expected]) => {
    const rule = { rule: repeat(parts, () => 'self.n > 0').join(' || ') };
    const kind = define({
      type: 'object',
      properties: { n: { type: 'integer' } },
      'x-kubernetes-validations': repeat(count, () => rule),
    });
    const object = makeThing({ n: 1 }) as never;
    const here = { ...context, mayTakeLong: false };
    if (expected) expect(() => kind.strategy.validateCreate(object, here)).toThrow(JudgementTakesLong);
    else expect(kind.strategy.validateCreate(object, here)).toEqual([]);
    expect(kind.strategy.validateCreate(object, context)).toEqual([]);
  });
});

describe('a large definition', () => {
  const fields = nameEach(60_000, text);

  it('is served at once', () => {
    const kind = hurry(() => define({ type: 'object', properties: fields }));
    expect(kind.schema.properties?.['spec']?.properties?.['n7']).toEqual({ type: 'string' });
    expect(kind.schema.properties?.['metadata']?.properties?.['name']).toBeDefined();
  });

  it('fills defaults into many objects', () => {
    const items = { type: 'object', properties: { ...fields, d: { type: 'integer', default: 3 } } };
    const kind = define({ type: 'array', items });
    const object = makeThing(repeat(20_000, () => ({})));
    hurry(() => kind.strategy.applyDefaults(object as never, context));
    expect(object['spec']).toEqual(repeat(20_000, () => ({ d: 3 })));
  });

  it('refuses objects whose defaults multiply', () => {
    const nest = (depth: number): JsonSchemaProps => ({
      type: 'object',
      properties: depth === 0 ? {} : { a: { type: 'array', default: repeat(10, () => ({})), items: nest(depth - 1) } },
    });
    const fill = (depth: number) => {
      const kind = define(nest(depth));
      hurry(() => kind.strategy.applyDefaults(makeThing({}) as never, context));
    };
    expect(() => fill(4)).not.toThrow();
    expect(() => fill(10)).toThrow('the defaults of its fields are too many');
  });

  it('refuses objects that defaults would make larger than memory', () => {
    const kind = define({
      type: 'array',
      items: { type: 'object', properties: nameEach(1_000, { type: 'string', default: 'a'.repeat(100) }) },
    });
    const object = makeThing(repeat(500_000, () => ({}))) as never;
    expect(() => hurry(() => kind.strategy.applyDefaults(object, context))).toThrow(
      'Request entity too large: the defaults of its fields are too many',
    );
  });
});
