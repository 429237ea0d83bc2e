import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepClone, deepEqual } from '../meta/deep.ts';
import type { JsonObject, JsonValue } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { applyConfiguration, type ApplyResult } from './apply-configuration.ts';
import { compareTyped } from './compare-typed.ts';
import { intersectFieldSets, isEmptyFieldSet, subtractFieldSet, uniteFieldSets } from './field-set.ts';
import { keepManagedFieldsTimes } from './keep-managed-fields-times.ts';
import { decodeManagedFields } from './managed-fields.ts';
import { mergeTyped } from './merge-typed.ts';
import { toFieldSet } from './to-field-set.ts';
import { updateManagedFields } from './update-managed-fields.ts';

const text: StructuralSchema = { type: 'string' };
const spec: StructuralSchema = {
  type: 'object',
  properties: {
    text,
    map: { type: 'object', values: text },
    set: { type: 'array', listType: 'set', items: text },
    atomic: { type: 'array', items: text },
    named: {
      type: 'array',
      listType: 'map',
      listMapKeys: ['name'],
      items: {
        type: 'object',
        properties: { name: text, value: text, tags: { type: 'array', listType: 'set', items: text } },
      },
    },
  },
};
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: { type: 'object', properties: { name: text, managedFields: { type: 'array', items: { type: 'any' } } } },
    spec,
  },
};

const word = fc.constantFrom('a', 'b', 'c');
const words = fc.uniqueArray(word, { minLength: 1, maxLength: 3 });
const specs = fc.record<JsonObject, never>(
  {
    text: word,
    map: fc.dictionary(word, word, { minKeys: 1 }),
    set: words,
    atomic: words,
    named: fc.uniqueArray(fc.record({ name: word, value: word, tags: words }, { requiredKeys: ['name'] }), {
      minLength: 1,
      maxLength: 3,
      selector: (item) => item.name,
    }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

type Write = { manager: string; spec: JsonObject; isApply: boolean };
const writes = fc.array(
  fc.record({ manager: fc.constantFrom('one', 'two', 'three'), spec: specs, isApply: fc.boolean() }),
  { minLength: 1, maxLength: 5 },
);

function makeConfiguration(content: JsonObject): JsonObject {
  return { apiVersion: 'x/v1', kind: 'K', metadata: { name: 'o' }, spec: content };
}

function apply(
  live: KubeObject | undefined,
  manager: string,
  content: JsonObject,
  force: boolean,
  nowMillis = 0,
): ApplyResult {
  const applied = makeConfiguration(content);
  return applyConfiguration({ live, applied, manager, force, apiVersion: 'x/v1', kind: 'K', nowMillis, schema });
}

/** What decoding leaves: no nulls, no empty lists and maps below the root's own structs. */
function clean(value: JsonValue): JsonValue | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => clean(item) ?? {});
  if (typeof value !== 'object') return value;
  const members = Object.entries(value).map(([key, member]) => [key, key.startsWith('f:') ? member : clean(member!)]);
  const kept = members.filter(([, member]) => member !== undefined);
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as JsonObject);
}

function write(
  live: KubeObject | undefined,
  { manager, spec: content, isApply }: Write,
  nowMillis: number,
): KubeObject {
  let next: KubeObject;
  if (isApply) {
    const result = apply(live, manager, content, true, nowMillis);
    if (result.outcome !== 'applied') throw new Error(JSON.stringify(result));
    const { managedFields, ...metadata } = result.object['metadata'] as JsonObject;
    next = clean({ ...result.object, metadata }) as unknown as KubeObject;
    // A struct has no absent value: what was applied or left empty is still there.
    Object.assign(next, { spec: (next as unknown as JsonObject)['spec'] ?? {} });
    if (managedFields !== undefined) next.metadata.managedFields = result.managedFields!;
  } else {
    next = makeConfiguration(content) as unknown as KubeObject;
    const managedFields = updateManagedFields({ live, next, manager, apiVersion: 'x/v1', nowMillis, schema });
    if (managedFields !== undefined) next.metadata.managedFields = managedFields;
  }
  const kept = live === undefined ? next.metadata.managedFields : keepManagedFieldsTimes(live, next);
  if (kept !== undefined) next.metadata.managedFields = kept;
  return next;
}

function play(list: readonly Write[]): KubeObject | undefined {
  return list.reduce<KubeObject | undefined>((live, step, i) => write(live, step, i * 1000), undefined);
}

describe('server-side apply', () => {
  it('is a no-op the second time', () => {
    fc.assert(
      fc.property(writes, specs, (list, content) => {
        const once = write(play(list), { manager: 'me', spec: content, isApply: true }, 60_000);
        const twice = write(once, { manager: 'me', spec: content, isApply: true }, 120_000);
        expect(twice).toEqual(once);
      }),
    );
  });

  it('puts every applied value in place and takes nothing else that another owns', () => {
    fc.assert(
      fc.property(writes, specs, (list, content) => {
        const live = play(list);
        const result = write(live, { manager: 'me', spec: content, isApply: true }, 60_000);
        const configuration = makeConfiguration(content);
        const merged = mergeTyped(result as unknown as JsonObject, configuration, schema) as JsonObject;
        expect(isSame(merged, result as unknown as JsonObject)).toBe(true);
        const { removed } = compareTyped(
          (live ?? {}) as unknown as JsonObject,
          result as unknown as JsonObject,
          schema,
        );
        const before = decodeManagedFields(live?.metadata.managedFields);
        if (!(before instanceof Map)) throw new Error(before.fault);
        for (const record of before.values()) {
          if (record.manager === 'me') continue;
          // Only what lies in an atomic value that the configuration sets may go.
          expect(isEmptyFieldSet(intersectFieldSets(record.fields, removed))).toBe(true);
        }
      }),
    );
  });

  it('conflicts exactly where it would take fields by force', () => {
    fc.assert(
      fc.property(writes, specs, (list, content) => {
        const live = play(list)!;
        const polite = apply(live, 'me', content, false);
        const forced = apply(live, 'me', content, true);
        if (forced.outcome !== 'applied') throw new Error(JSON.stringify(forced));
        const lost =
          countFields(live, 'me') -
          countFields({ ...live, metadata: { managedFields: forced.managedFields ?? [] } }, 'me');
        expect(lost > 0).toBe(polite.outcome === 'conflict');
        if (polite.outcome === 'conflict') expect(polite.conflicts.length).toBe(lost);
      }),
    );
  });

  it('never changes its inputs', () => {
    fc.assert(
      fc.property(writes, specs, (list, content) => {
        const live = play(list);
        const before = deepClone([live ?? null, content]);
        apply(live, 'me', content, true);
        apply(live, 'one', content, false);
        expect([live ?? null, content]).toEqual(before);
      }),
    );
  });
});

describe('managed fields', () => {
  it('only name fields that the object has, or containers that were emptied', () => {
    fc.assert(
      fc.property(writes, (list) => {
        const object = play(list)!;
        const records = decodeManagedFields(object.metadata.managedFields);
        if (!(records instanceof Map)) throw new Error(records.fault);
        const all = [...records.values()].reduce(
          (set, record) => uniteFieldSets(set, record.fields),
          toFieldSet({}, schema),
        );
        const present = [
          toFieldSet(object as unknown as JsonObject, schema),
          compareTyped({}, object as unknown as JsonObject, schema).added,
          // Who owns a map or list as such keeps it when somebody else takes its last member away.
          toFieldSet({ spec: { map: {}, set: [], named: [] } }, schema),
        ].reduce((set, fields) => uniteFieldSets(set, fields));
        expect(isEmptyFieldSet(subtractFieldSet(all, present))).toBe(true);
      }),
    );
  });
});

function isSame(a: JsonObject, b: JsonObject): boolean {
  const { added, modified, removed } = compareTyped(a, b, schema);
  return deepEqual(a, b) || [added, modified, removed].every(isEmptyFieldSet);
}

function countFields(object: KubeObject, except: string): number {
  const records = decodeManagedFields(object.metadata.managedFields);
  if (!(records instanceof Map)) throw new Error(records.fault);
  let count = 0;
  for (const record of records.values()) {
    if (record.manager !== except) count += JSON.stringify([...flatten(record.fields)]).split('|').length - 1;
  }
  return count;
}

function* flatten(set: ReturnType<typeof toFieldSet>): Generator<string> {
  for (const member of set.members) yield `|${member}`;
  for (const child of set.children.values()) yield* flatten(child);
}
