import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deepClone } from '../meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import type { KubeObject, ManagedFieldsEntry } from '../meta/kube-object.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { keepManagedFieldsTimes } from './keep-managed-fields-times.ts';
import type { ResetFields } from './reset-fields.ts';
import { updateManagedFields } from './update-managed-fields.ts';

interface RecordedStep {
  readonly verb: 'create' | 'update' | 'apply';
  readonly manager: string;
  readonly subresource?: string;
  readonly force?: boolean;
  /** What the step found, where it is not what the step before left. */
  readonly live?: KubeObject;
  readonly applied?: JsonObject;
  readonly requestedManagedFields?: ManagedFieldsEntry[];
  readonly code: number;
  readonly result: JsonObject;
}

interface RecordedScenario {
  readonly title: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly definition: string;
  readonly resetFields?: Readonly<Record<string, ResetFields>>;
  /** Fields that admission sets on create, after managedFields are made. */
  readonly admittedFields?: ResetFields;
  readonly steps: readonly RecordedStep[];
}

const scenarios = readTestdata('scenarios.json') as unknown as RecordedScenario[];
const schemas = readTestdata('schemas.json') as Record<string, JsonObject>;

function readTestdata(name: string): JsonValue {
  return JSON.parse(readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8')) as JsonValue;
}

const resolved = new Map<string, StructuralSchema>();

/** Links the references of the recorded schemas; they are cyclic, hence one object a definition. */
function resolveDefinition(name: string): StructuralSchema {
  let schema = resolved.get(name);
  if (schema === undefined) {
    schema = { type: 'any' };
    resolved.set(name, schema);
    Object.assign(schema, resolveNode(schemas[name]!));
  }
  return schema;
}

function resolveNode(node: JsonObject): StructuralSchema {
  const { $ref: reference, items, values, properties, ...notes } = node;
  if (typeof reference === 'string') {
    const target = resolveDefinition(reference);
    // A reference to a definition that is still being linked would be copied half done: none of ours carries notes.
    return Object.keys(notes).length === 0 ? target : { ...target, ...(notes as Partial<StructuralSchema>) };
  }
  const schema: Record<string, unknown> = { ...notes };
  if (isJsonObject(items)) schema['items'] = resolveNode(items);
  if (isJsonObject(values)) schema['values'] = resolveNode(values);
  if (isJsonObject(properties)) {
    const entries = Object.entries(properties).map(([key, value]) => [key, resolveNode(value as JsonObject)]);
    schema['properties'] = Object.fromEntries(entries);
  }
  return schema as unknown as StructuralSchema;
}

/** The moment of a step is the newest one in its result. */
function findNow(step: RecordedStep): number {
  const times = JSON.stringify(step.result).match(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g) ?? ['2026-02-01T00:00:00Z'];
  return Date.parse(times.sort().at(-1)!);
}

/** What decoding into a Go type and encoding again leaves of nulls and of empty lists and maps. */
function dropEmpty(value: JsonValue): JsonValue | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => dropEmpty(item) ?? {});
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value)
    .map(([key, member]) => [key, member === undefined ? undefined : dropEmpty(member)] as const)
    .filter(([, member]) => member !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function omitFields(object: JsonObject, paths: ResetFields): JsonObject {
  const copy = deepClone(object);
  for (const path of paths) {
    const holder = path.slice(0, -1).reduce<JsonObject>((at, name) => (at[name] ?? {}) as JsonObject, copy);
    delete holder[path.at(-1)!];
  }
  return copy;
}

const steps = scenarios.flatMap((scenario) => {
  let stored: KubeObject | undefined;
  return scenario.steps.map((step, index) => {
    const live = step.live ?? stored;
    stored = step.code < 300 ? (step.result as unknown as KubeObject) : live;
    return { scenario, step, live, title: `${scenario.kind}: ${scenario.title}, step ${index + 1} (${step.verb})` };
  });
});

describe('managed fields as a real API server keeps them', () => {
  it.for(steps.filter(({ step }) => step.verb !== 'apply' && step.code < 300))('$title', ({ scenario, step, live }) => {
    const stored = step.result as unknown as KubeObject;
    const { managedFields, ...metadata } = stored.metadata;
    const admitted = live === undefined ? (scenario.admittedFields ?? []) : [];
    const next = omitFields({ ...stored, metadata } as unknown as JsonObject, admitted) as unknown as KubeObject;
    const before = deepClone([live ?? null, next]);
    const updated = updateManagedFields({
      live,
      next,
      ...(step.requestedManagedFields ? { requestedManagedFields: step.requestedManagedFields } : {}),
      manager: step.manager,
      apiVersion: scenario.apiVersion,
      ...(step.subresource ? { subresource: step.subresource } : {}),
      nowMillis: findNow(step),
      schema: resolveDefinition(scenario.definition),
      resetFields: scenario.resetFields?.[step.subresource ?? ''] ?? [],
    });
    const result = { ...next, metadata: { ...metadata, ...(updated ? { managedFields: updated } : {}) } };
    const kept = live === undefined ? updated : keepManagedFieldsTimes(live, result);
    expect(kept).toEqual(managedFields);
    expect(JSON.stringify(kept)).toBe(JSON.stringify(managedFields));
    expect([live ?? null, next], 'inputs stay as they are').toEqual(before);
  });
});

describe('server-side apply as a real API server does it', () => {
  it.for(steps.filter(({ step }) => step.verb === 'apply'))('$title', ({ scenario, step, live }) => {
    const applied = deepClone(step.applied!);
    const outcome = applyConfiguration({
      live,
      applied,
      manager: step.manager,
      force: step.force === true,
      apiVersion: scenario.apiVersion,
      kind: scenario.kind,
      ...(step.subresource ? { subresource: step.subresource } : {}),
      nowMillis: findNow(step),
      schema: resolveDefinition(scenario.definition),
      resetFields: scenario.resetFields?.[step.subresource ?? ''] ?? [],
    });
    expect(applied, 'the configuration stays as it is').toEqual(step.applied);
    if (outcome.outcome === 'rejected') {
      expect({ code: outcome.code, message: outcome.message }).toEqual({
        code: step.code,
        message: step.result['message'],
      });
      return;
    }
    if (outcome.outcome === 'conflict') {
      const details = step.result['details'] as JsonObject;
      const causes = (details['causes'] as JsonValue[]).toSorted((a, b) =>
        JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
      );
      expect({ code: 409, message: outcome.message }).toEqual({ code: step.code, message: step.result['message'] });
      expect(outcome.causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual(causes);
      return;
    }
    // Validation and admission, which refuse some of the merged objects, come later.
    if (step.code >= 300) {
      expect([403, 404, 422]).toContain(step.code);
      return;
    }
    const { managedFields } = outcome;
    const merged = outcome.object as unknown as KubeObject;
    const kept = live === undefined ? managedFields : keepManagedFieldsTimes(live, merged);
    const stored = step.result as unknown as KubeObject;
    expect(kept).toEqual(stored.metadata.managedFields);
    expect(JSON.stringify(kept)).toBe(JSON.stringify(stored.metadata.managedFields));
    const resetFields = scenario.resetFields?.[step.subresource ?? ''] ?? [];
    const plain = dropEmpty(omitFields(outcome.object, [['metadata', 'managedFields'], ...resetFields]));
    const expected = dropEmpty(omitFields(step.result, [['metadata', 'managedFields'], ...resetFields]));
    // Defaults come after the merge: the stored object may have more, the merged one never.
    expect(expected).toMatchObject(plain as object);
  });
});
