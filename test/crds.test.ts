import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { decodeTyped } from '../core/decode/decode-typed.ts';
import { formatFieldError } from '../core/errors/make-field-error.ts';
import { deepEqual } from '../core/meta/deep.ts';
import { isJsonObject } from '../core/meta/json.ts';
import type { JsonObject, JsonValue } from '../core/meta/json.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';
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
import { waitUntil } from './cluster/wait-until.ts';
import { installCrds, listCrdKinds, pathOnHost } from './crds/install-crds.ts';
import { Mutator } from './crds/mutate-value.ts';
import { bindKubectl } from './service/run-kubectl.ts';
import { makeRandom } from './store/random.ts';

const domain = 'bailiwick.dev';
const context = { domain, nowMillis: 0 };
const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const kinds = listCrdKinds(domain);
for (const { strategy } of kinds) await strategy.loadChecks?.();
const rules = kinds.flatMap((kind) => (ruleTables[kind.kind] ?? []).map((rule) => [rule.rule, kind, rule] as const));
const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const rounds = isSoak ? 2000 : 100;
// A check must not fail by luck; what chance finds, the soak finds.
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Date.now() % 1_000_000 : 20_260));
// Ranges that are left out of a block: a definition cannot compare them.
const unjudged = ['spec.ingress.from.ipBlock.except', 'spec.egress.to.ipBlock.except'];
/** What compiling an expression finds: no definition can. */
const compilerFault = /: (?:compilation failed|program instantiation failed|must evaluate to) ?/;
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

/** Faults of a new object: why it does not decode, or what its strategy finds. */
function listFaults(kind: RegisteredKind, object: JsonObject): string[] {
  const decoded = decodeTyped(resolveRuleObject(object, domain), kind.schema);
  if ('fault' in decoded) return [decoded.fault];
  const typed = applyDefaults(kind, object);
  kind.strategy.prepareForCreate(typed, context);
  return kind.strategy.validateCreate(typed, context).map(formatFieldError);
}

/** Faults of an object in the place of another one. */
function listUpdateFaults(kind: RegisteredKind, object: JsonObject, oldObject: JsonObject): string[] {
  const decoded = decodeTyped(resolveRuleObject(object, domain), kind.schema);
  if ('fault' in decoded) return [decoded.fault];
  const [typed, old] = [applyDefaults(kind, object), applyDefaults(kind, oldObject)];
  kind.strategy.prepareForCreate(old, context);
  kind.strategy.prepareForUpdate(typed, old, context);
  return kind.strategy.validateUpdate(typed, old, context).map(formatFieldError);
}

function readPath(object: unknown, path: string): JsonValue | undefined {
  return path
    .split('.')
    .reduce<JsonValue | undefined>((value, name) => (value as JsonObject | undefined)?.[name], object as JsonValue);
}

function readPart(object: KubeObject, part: 'spec' | 'status'): unknown {
  return (object as unknown as JsonObject)[part];
}

function readJson(file: string): JsonObject[] {
  return JSON.parse(readFileSync(file, 'utf8')) as JsonObject[];
}

async function readExamples(): Promise<JsonObject[]> {
  const folder = join(projectRoot, 'examples');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as JsonObject));
}

/** The definition as an earlier release may have had it: the same structure, and no rules. */
function withoutRules(crd: JsonObject): JsonObject {
  const drop = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(drop);
    if (!isJsonObject(value)) return value;
    const kept = Object.entries(value).filter(([name]) => name !== 'x-kubernetes-validations');
    return Object.fromEntries(kept.map(([name, member]) => [name, drop(member as JsonValue)]));
  };
  return drop(crd) as JsonObject;
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

  const examples = kinds.flatMap((kind) =>
    (kind.crd?.exceptions ?? []).flatMap((exception) =>
      exception.example === undefined ? [] : [[exception.rule, kind, exception, exception.example] as const],
    ),
  );
  it.for(examples)('%s: is judged otherwise', async ([, kind, { effect }, example]) => {
    const { status, body } = await create(kind, example);
    const isAccepted = listFaults(kind, example).length === 0;
    expect(isAccepted).toBe(effect !== 'not-refused');
    expect(status < 300, body.message).toBe(effect !== 'refused');
    if (effect === 'not-defaulted') {
      expect(readPart(applyDefaults(kind, body), 'spec')).not.toEqual(readPart(applyDefaults(kind, example), 'spec'));
    }
  });

  const golden = kinds.flatMap((kind) =>
    ['minimal', 'full'].flatMap((name) =>
      readJson(`${locateKind(kind)}/testdata/${name}.json`).map(
        (object, i) => [`${kind.kind} ${name} ${i}`, kind, object] as const,
      ),
    ),
  );
  it.for(golden)('takes the golden object %s whole', async ([, kind, object]) => {
    const { status, headers, body } = await create(kind, object);
    expect(status, body.message).toBe(201);
    expect(headers['warning']).toBeUndefined();
    expect(readPart(applyDefaults(kind, body), 'spec')).toEqual(readPart(applyDefaults(kind, object), 'spec'));
  });

  it.for(kinds.map((kind) => [kind.kind, kind] as const))(
    `judges changed objects of %s as the service does (seed ${seed})`,
    async ([name, kind]) => {
      const spec = kind.schema.properties?.['spec'] as StructuralSchema;
      const random = makeRandom(seed);
      const mutator = new Mutator(random, unjudged);
      const bases = [
        ...(ruleTables[name] ?? [])
          .filter(({ subresource }) => subresource === undefined)
          .map(({ accepted }) => accepted),
        ...readJson(`${locateKind(kind)}/testdata/full.json`),
      ];
      for (let round = 0; round < rounds; round += 1) {
        const base = bases[Math.floor(random() * bases.length)] as JsonObject;
        const { name: own = 'example' } = base['metadata'] as { name?: string };
        const object = { ...base, metadata: { name: own }, spec: mutator.mutate(base['spec'], spec, 'spec') };
        const { status, body } = await create(kind, object);
        const faults = listFaults(kind, object).filter((fault) => !compilerFault.test(fault));
        const shown = JSON.stringify({ spec: object.spec, faults, answer: body.message }, undefined, 1);
        expect(status, shown).toBe(faults.length === 0 ? 201 : 422);
        if (status !== 201) continue;
        expect(readPart(applyDefaults(kind, body), 'spec')).toEqual(readPart(applyDefaults(kind, object), 'spec'));
      }
    },
  );

  it.for(kinds.map((kind) => [kind.kind, kind] as const))(
    `judges what is put in the place of an object of %s as the service does (seed ${seed})`,
    async ([name, kind]) => {
      const spec = kind.schema.properties?.['spec'] as StructuralSchema;
      const random = makeRandom(seed);
      const mutator = new Mutator(random, unjudged);
      const bases = (ruleTables[name] ?? [])
        .filter(({ subresource, old }) => subresource === undefined && old === undefined)
        .map(({ accepted }) => accepted);
      const path = pathOnHost(kind);
      for (let round = 0; round < rounds / 10; round += 1) {
        const base = bases[Math.floor(random() * bases.length)] as JsonObject;
        const { name: own = 'example' } = base['metadata'] as { name?: string };
        const old = { ...base, metadata: { name: own } };
        const stored = await cluster.request('POST', path, { body: toHost(kind, old) });
        // Rules of names, too, have objects that are accepted, of which a host refuses some.
        if (stored.status !== 201) continue;
        for (let change = 0; change < 10; change += 1) {
          const object = { ...old, spec: mutator.mutate(base['spec'], spec, 'spec') };
          const metadata = { name: own, resourceVersion: stored.body.metadata.resourceVersion };
          const body = toHost(kind, { ...object, metadata });
          const answer = await cluster.request('PUT', `${pathOnHost(kind, own)}?dryRun=All`, { body });
          const faults = listUpdateFaults(kind, object, old).filter((fault) => !compilerFault.test(fault));
          const shown = JSON.stringify({ old: base['spec'], spec: object.spec, faults, answer: answer.body.message });
          expect(answer.status, shown).toBe(faults.length === 0 ? 200 : 422);
        }
        expect((await cluster.request('DELETE', pathOnHost(kind, own))).status).toBe(200);
      }
    },
  );

  it('takes what stands in examples/', async () => {
    const taken = new Set<string>();
    for (const object of await readExamples()) {
      const kind = kinds.find((candidate) => candidate.kind === object['kind']);
      if (kind === undefined) continue;
      const { name } = object['metadata'] as { name: string };
      const { status, headers, body } = await create(kind, { ...object, metadata: { name } });
      expect([status, headers['warning']], body.message).toEqual([201, undefined]);
      taken.add(kind.kind);
    }
    expect([...taken].sort()).toEqual(kinds.map(({ kind }) => kind).sort());
  });

  it('shows columns and the category to kubectl', async () => {
    const [quota] = kinds;
    const object = { metadata: { name: 'shown' }, spec: { hard: { pods: '1' } } };
    const stored = await cluster.request('POST', pathOnHost(quota as RegisteredKind), {
      body: toHost(quota as RegisteredKind, { kind: 'ResourceQuota', ...object }),
    });
    expect(stored.status, stored.body.message).toBe(201);
    const { stdout } = await bindKubectl(cluster.kubeconfig, join(cluster.folder, 'kubectl')).run([
      'get',
      'bailiwick',
      '-n',
      'default',
    ]);
    expect(stdout).toMatch(/NAME +USED +HARD +AGE\nresourcequota\.core\.bailiwick\.dev\/shown /);
  });

  it('works under another domain beside this one', async () => {
    const others = await installCrds(cluster, 'example.org');
    const bad = ruleTables['Ingress']?.[0]?.rejected as JsonObject;
    const ingress = others.find(({ kind }) => kind === 'Ingress') as RegisteredKind;
    expect((await create(ingress, bad)).status).toBe(422);
    expect((await create(ingress, ruleTables['Ingress']?.[0]?.accepted as JsonObject)).status).toBe(201);
  });

  it('is renewed over the definitions of an earlier release, and keeps what is stored', async () => {
    const older = await installCrds(cluster, 'older.example', withoutRules);
    const budget = older.find(({ kind }) => kind === 'PodDisruptionBudget') as RegisteredKind;
    const bad = { kind: budget.kind, metadata: { name: 'old' }, spec: { minAvailable: 'many' } };
    expect((await cluster.request('POST', pathOnHost(budget), { body: toHost(budget, bad) })).status).toBe(201);
    for (const kind of older) {
      const { status, headers, body } = await cluster.request(
        'PATCH',
        `${CRDS}/${kind.plural}.${kind.aliasGroup ?? kind.group}?fieldManager=helm&force=true`,
        { body: deriveCrd(kind), headers: { 'content-type': 'application/apply-patch+yaml' } },
      );
      expect([status, headers['warning']], body.message).toEqual([200, undefined]);
    }
    await waitUntil(
      'the rules to be in force',
      async () => (await create(budget, { ...bad, metadata: { name: 'new' } })).status === 422,
    );
    const path = pathOnHost(budget, 'old');
    expect((await cluster.request('GET', path)).body.spec).toEqual({ minAvailable: 'many' });
    // Whatever was stored before stays usable: what is at fault may stay until it is changed.
    const labelled = await cluster.request('PATCH', path, {
      body: { metadata: { labels: { a: 'b' } } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(labelled.status, labelled.body.message).toBe(200);
  });
});
