import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeTyped } from '../core/decode/decode-typed.ts';
import { encodeJsonPretty } from '../core/decode/encode-json.ts';
import type { JsonObject, JsonValue } from '../core/meta/json.ts';
import { isJsonObject } from '../core/meta/json.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';
import { locateKind } from './locate-kind.ts';
import { buildKindRegistry } from './registry.ts';
import type { RegisteredKind } from './registry.ts';
import { reviewRuleTables, ruleTables } from './rule-tables.ts';

const context = { domain: 'bailiwick.dev', nowMillis: 0 };
const registry = buildKindRegistry(context.domain);
const kinds = registry.kinds.filter(({ kind }) => Object.hasOwn({ ...ruleTables, ...reviewRuleTables }, kind));

function readObjects(folder: string, name: string): JsonObject[] {
  return JSON.parse(readFileSync(`${folder}/testdata/${name}.json`, 'utf8')) as JsonObject[];
}

function readDefaulted(kind: RegisteredKind, folder: string, name: string): KubeObject[] {
  return readObjects(folder, name).map((object) => {
    const decoded = decodeTyped(object, kind.schema);
    if ('fault' in decoded) throw new Error(decoded.fault);
    expect(decoded.unknownFields).toEqual([]);
    const typed = decoded.object as unknown as KubeObject;
    kind.strategy.applyDefaults(typed, context);
    return typed;
  });
}

function collectPaths(schema: StructuralSchema, path = ''): string[] {
  const inner = schema.items ?? schema.values;
  if (inner !== undefined) return collectPaths(inner, path);
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return [path];
  return fields.flatMap(([name, property]) =>
    path === '' && name === 'metadata' ? [] : collectPaths(property, `${path}.${name}`),
  );
}

function collectSetPaths(value: JsonValue | undefined, schema: StructuralSchema, path = ''): string[] {
  const inner = schema.items ?? schema.values;
  if (inner !== undefined) {
    const members = Array.isArray(value) ? value : Object.values((value ?? {}) as JsonObject);
    return members.flatMap((member) => collectSetPaths(member, inner, path));
  }
  if (!isJsonObject(value) || schema.properties === undefined) return value === undefined ? [] : [path];
  const { properties } = schema;
  return Object.entries(value).flatMap(([name, member]) => {
    const property = properties[name];
    return property === undefined ? [] : collectSetPaths(member, property, `${path}.${name}`);
  });
}

describe.for(kinds.map((kind) => [kind.kind, kind] as const))('%s', ([, kind]) => {
  const folder = locateKind(kind);

  it.for(['minimal', 'full'])('defaults and accepts the %s objects', async (name) => {
    const defaulted = readDefaulted(kind, folder, name);
    await kind.strategy.loadChecks?.();
    expect(defaulted.flatMap((object) => kind.strategy.validateCreate(object, context))).toEqual([]);
    await expect(`${encodeJsonPretty(defaulted)}\n`).toMatchFileSnapshot(`${folder}/testdata/${name}.defaulted.json`);
  });

  it.for(['minimal', 'full'])('changes nothing when defaults are applied to the %s objects again', (name) => {
    for (const object of readDefaulted(kind, folder, name)) {
      const again = structuredClone(object);
      kind.strategy.applyDefaults(again, context);
      expect(again).toEqual(object);
    }
  });

  it('has every field in its full objects', () => {
    const set = new Set(readObjects(folder, 'full').flatMap((object) => collectSetPaths(object, kind.schema)));
    expect(collectPaths(kind.schema).filter((path) => !set.has(path))).toEqual([]);
  });
});
