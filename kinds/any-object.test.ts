import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTyped } from '../core/decode/decode-typed.ts';
import { formatFieldError } from '../core/errors/make-field-error.ts';
import type { JsonObject, JsonValue } from '../core/meta/json.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';
import { policyKinds } from './registry.ts';

const context = { domain: 'bailiwick.dev', nowMillis: 0 };
const words = [
  '',
  'a',
  '*',
  '*/*',
  'a/b',
  'exempt',
  'Pod',
  'Container',
  'Queue',
  'Reject',
  'Limited',
  'Exempt',
  'In',
  'Exists',
];
const anyText = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 8, unit: 'binary' }));

function scalarFor(schema: StructuralSchema): fc.Arbitrary<JsonValue> {
  switch (schema.format) {
    case 'quantity':
      return fc.constantFrom('0', '-1', '100m', '1Gi', '1e3', '0.1n', '9223372036854775807');
    case 'date-time':
      return fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00');
    case 'int-or-string':
      return fc.oneof(fc.integer({ min: -10, max: 70_000 }), fc.constantFrom('http', '50%', '101%', '%'), anyText);
    default:
      break;
  }
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(fc.integer({ min: -2, max: 12 }), fc.constantFrom(2147483647, -2147483648));
    case 'string':
      return fc.oneof(fc.constantFrom(...(schema.enum ?? ['a'])), anyText);
    default:
      return fc.constant({});
  }
}

/** Objects that decode: each field absent, null, or of its type. */
function valueFor(schema: StructuralSchema): fc.Arbitrary<JsonValue> {
  const { properties, items, values } = schema;
  if (items !== undefined) return fc.array(valueFor(items), { maxLength: 3 });
  if (values !== undefined) return fc.dictionary(anyText, valueFor(values), { maxKeys: 3 });
  if (properties === undefined) return scalarFor(schema);
  const fields = Object.entries(properties).map(([name, property]) => [
    name,
    fc.option(valueFor(property), { freq: 5, nil: null }),
  ]);
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<JsonValue>>, { requiredKeys: [] });
}

describe.for(policyKinds.map((kind) => [kind.kind, kind] as const))('any %s that decodes', ([, kind]) => {
  const { metadata: _metadata, ...fields } = kind.schema.properties ?? {};
  const objects = valueFor({ ...kind.schema, properties: fields });

  function decode(value: JsonObject): KubeObject {
    const decoded = decodeTyped({ ...value, metadata: { name: 'exempt' } }, kind.schema);
    if ('fault' in decoded) throw new Error(decoded.fault);
    return decoded.object as unknown as KubeObject;
  }

  it('is defaulted, validated and printed', async () => {
    await kind.strategy.loadChecks?.();
    fc.assert(
      fc.property(objects, objects, (value, other) => {
        const object = decode(value as JsonObject);
        const old = decode(other as JsonObject);
        kind.strategy.applyDefaults(object, context);
        kind.strategy.applyDefaults(old, context);
        const errors = [
          ...kind.strategy.validateCreate(object, context),
          ...kind.strategy.validateUpdate(object, old, context),
          ...(kind.strategy.status?.validateUpdate(object, old, context) ?? []),
        ];
        for (const error of errors) expect(formatFieldError(error)).toContain(error.field);
        expect(kind.printRow(object, 0).length).toBe(kind.columns.length);
        kind.strategy.warnOnCreate?.(object, context);
        kind.strategy.status?.warnOnUpdate?.(object, old, context);
      }),
      { numRuns: 150 },
    );
  });

  it('stays as it is when decoded and defaulted again', () => {
    fc.assert(
      fc.property(objects, (value) => {
        const once = decode(value as JsonObject);
        kind.strategy.applyDefaults(once, context);
        const again = decode(structuredClone(once) as unknown as JsonObject);
        kind.strategy.applyDefaults(again, context);
        expect(again).toEqual(once);
      }),
      { numRuns: 100 },
    );
  });
});
