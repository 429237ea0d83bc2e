import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { decodeTyped } from '../core/decode/decode-typed.ts';
import { deepEqual } from '../core/meta/deep.ts';
import type { JsonObject, JsonValue } from '../core/meta/json.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import type { CrdException } from '../kinds/crd-notes.ts';
import { deriveCrd } from '../kinds/derive-crd.ts';
import { locateKind } from '../kinds/locate-kind.ts';
import type { RegisteredKind } from '../kinds/registry.ts';
import { resolveRuleObject } from '../kinds/rule-case.ts';
import type { RuleCase } from '../kinds/rule-case.ts';
import { ruleTables } from '../kinds/rule-tables.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import type { ClusterAnswer } from './cluster/cluster-request.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { installCrds, listCrdKinds, pathOnHost } from './crds/install-crds.ts';

const domain = 'bailiwick.dev';
const context = { domain, nowMillis: 0 };
const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const kinds = listCrdKinds(domain);
const rules = kinds.flatMap((kind) => (ruleTables[kind.kind] ?? []).map((rule) => [rule.rule, kind, rule] as const));
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function findException(kind: RegisteredKind, rule: string, effect: CrdException['effect']): CrdException | undefined {
  return kind.crd?.exceptions.find((exception) => exception.rule === rule && exception.effect === effect);
}

function toHost(kind: RegisteredKind, object: JsonObject): JsonObject {
  return { ...object, apiVersion: `${kind.aliasGroup ?? kind.group}/${kind.version}` };
}

/** What the API service makes of an object: decoded, with its defaults. */
function applyDefaults(kind: RegisteredKind, object: JsonObject): KubeObject {
  const decoded = decodeTyped(resolveRuleObject(object, domain), kind.schema);
  if ('fault' in decoded) throw new Error(decoded.fault);
  const typed = decoded.object as unknown as KubeObject;
  kind.strategy.applyDefaults(typed, context);
  return typed;
}

/** Faults that the strategy finds in a new object. */
function countFaults(kind: RegisteredKind, object: JsonObject): number {
  const typed = applyDefaults(kind, object);
  kind.strategy.prepareForCreate(typed, context);
  return kind.strategy.validateCreate(typed, context).length;
}

function readPath(object: unknown, path: string): JsonValue | undefined {
  return path
    .split('.')
    .reduce<JsonValue | undefined>((value, name) => (value as JsonObject | undefined)?.[name], object as JsonValue);
}

function readPart(object: KubeObject, part: 'spec' | 'status'): unknown {
  return (object as unknown as JsonObject)[part];
}

describeCluster('custom resources on a host', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
    await installCrds(cluster, domain);
  });
  afterAll(() => cluster?.stop());

  function create(kind: RegisteredKind, object: JsonObject): Promise<ClusterAnswer> {
    return cluster.request('POST', `${pathOnHost(kind)}?dryRun=All`, { body: toHost(kind, object) });
  }

  /** Writes an object as its rule says, without storing it. */
  async function write(
    kind: RegisteredKind,
    { old, subresource }: RuleCase,
    object: JsonObject,
  ): Promise<ClusterAnswer> {
    if (old === undefined) return create(kind, object);
    const stored = await cluster.request('POST', pathOnHost(kind), { body: toHost(kind, old) });
    expect(stored.status, stored.body.message).toBe(201);
    const path = pathOnHost(kind, stored.body.metadata.name);
    const metadata = { ...(object['metadata'] as JsonObject), resourceVersion: stored.body.metadata.resourceVersion };
    const answer = await cluster.request('PUT', `${path}${subresource ? `/${subresource}` : ''}?dryRun=All`, {
      body: toHost(kind, { ...object, metadata }),
    });
    expect((await cluster.request('DELETE', path)).status).toBe(200);
    return answer;
  }

  it.for(rules)('%s: keeps', async ([name, kind, rule]) => {
    const { status, body } = await write(kind, rule, rule.accepted);
    expect(status, body.message).toBeLessThan(300);
    const part = rule.subresource ?? 'spec';
    expect(readPart(applyDefaults(kind, body), part)).toEqual(readPart(applyDefaults(kind, rule.accepted), part));
    if (rule.effect === undefined) return;
    const isFilled = deepEqual(readPath(body, rule.effect.path), rule.effect.value);
    expect(isFilled).toBe(findException(kind, name, 'not-defaulted') === undefined);
  });

  it.for(rules.filter(([, , rule]) => rule.rejected !== undefined))('%s: breaks', async ([name, kind, rule]) => {
    const { status, body } = await write(kind, rule, rule.rejected as JsonObject);
    const isListed = findException(kind, name, 'not-refused') !== undefined;
    expect(status, body.message).toBe(isListed ? (rule.old === undefined ? 201 : 200) : 422);
  });
});
