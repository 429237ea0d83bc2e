import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { systemClock } from '../../../platform/process/clock.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';
import type { DeleteOptions, ObjectReference, ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import { openSqliteStore } from '../../../platform/store/sqlite-store.ts';
import { EmbeddedResources } from '../../apiserver/pipeline/embedded-resources.ts';
import { GarbageCollector } from './garbage-collector.ts';

const configMaps: ResourceName = { group: '', version: 'v1', resource: 'configmaps' };
const volumes: ResourceName = { group: '', version: 'v1', resource: 'persistentvolumes' };
const namespaces: ResourceName = { group: '', version: 'v1', resource: 'namespaces' };
const quotas: ResourceName = { group: '', version: 'v1', resource: 'resourcequotas' };
const absentUid = '11111111-1111-4111-8111-111111111111';

let folder: string;
let store: ObjectStore;
let client: ResourceClient;
let registry: ReturnType<typeof buildKindRegistry>;
let collector: GarbageCollector;
let reported: string[];
/** Namespaces of the test that runs. */
let a: string;
let b: string;
let tests = 0;

async function startCollector(): Promise<void> {
  collector = new GarbageCollector({
    ...{ client, store, registry, clock: systemClock, logger: createSilentLogger() },
    events: {
      record: ({ kind, metadata }, type, reason, message) =>
        void reported.push(`${type} ${reason} ${kind} ${metadata.name}: ${message}`),
    },
  });
  await collector.start();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'garbage-'));
  store = await openSqliteStore({ file: join(folder, 'store.db') });
  registry = buildKindRegistry('bailiwick.dev');
  const resources = new EmbeddedResources({ store, registry, now: () => systemClock.now(), collectsGarbage: true });
  client = resources.clientFor({ username: 'system:apiserver', groups: ['system:masters'] });
  await startCollector();
});

beforeEach(async () => {
  reported = [];
  tests += 1;
  [a, b] = [`a-${tests}`, `b-${tests}`];
  for (const name of [a, b]) {
    await client.create({ resource: namespaces }, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
});

afterAll(async () => {
  await collector.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function own(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, ...more };
}

function create(name: string, owners: OwnerReference[] = [], more: ObjectMeta & { namespace?: string } = {}) {
  const { namespace = a, ...metadata } = more;
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences: owners, ...metadata } };
  return client.create({ resource: configMaps, namespace }, object);
}

function remove(name: string, options?: DeleteOptions) {
  return client.delete({ resource: configMaps, namespace: a, name }, options);
}

/** Names of the ConfigMaps that are left, each with the names of its owners. */
async function listLeft(namespace = a): Promise<string[]> {
  await collector.waitUntilIdle();
  const { items } = await client.list({ resource: configMaps, namespace });
  return items.map(({ metadata }) =>
    [metadata.name, ...(metadata.ownerReferences ?? []).map((owner) => owner.name)].join('<'),
  );
}

async function waitUntilGone(reference: ObjectReference): Promise<void> {
  const { resource, namespace = '', name } = reference;
  const watch = client.watch(
    { resource, namespace },
    { fieldSelector: `metadata.name=${name}`, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
  );
  if ((await getIfPresent(client, reference)) === undefined) return;
  for await (const { type } of watch) if (type === 'DELETED') return;
}

describe('a deletion in the background', () => {
  it('takes what the object owned with it, and what that owned', async () => {
    const owner = await create('owner');
    const child = await create('child', [own(owner)]);
    await create('grandchild', [own(child)]);
    await create('other');
    await remove('owner');
    expect(await listLeft()).toEqual(['other']);
  });

  it('takes off its reference where another owner is left', async () => {
    const [first, second] = [await create('first'), await create('second')];
    await create('child', [own(first), own(second)]);
    await remove('first');
    expect(await listLeft()).toEqual(['child<second', 'second']);
    await remove('second');
    expect(await listLeft()).toEqual([]);
  });

  it('goes over namespaces when the owner has none', async () => {
    const owner = await client.create({ resource: volumes }, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'owner' },
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/tmp' } },
    } as KubeObject);
    await create('child', [own(owner)]);
    await create('child', [own(owner)], { namespace: b });
    await client.delete({ resource: volumes, name: 'owner' });
    expect([await listLeft(), await listLeft(b)]).toEqual([[], []]);
  });

  it('keeps a dependent until its finalizer is off', async () => {
    const owner = await create('owner');
    await create('child', [own(owner)], { finalizers: ['a.example/x'] });
    await remove('owner');
    expect(await listLeft()).toEqual(['child<owner']);
    const reference = { resource: configMaps, namespace: a, name: 'child' };
    expect((await client.get(reference)).metadata.deletionTimestamp).toBeDefined();
    await client.patch(reference, 'application/merge-patch+json', { metadata: { finalizers: null } });
    expect(await listLeft()).toEqual([]);
  });
});

describe('an owner that does not exist', () => {
  it.for<[string, (owner: KubeObject) => OwnerReference]>([
    ['was never there', (owner) => own(owner, { name: 'absent', uid: absentUid })],
    ['has another uid', (owner) => own(owner, { uid: absentUid })],
    ['has another name', (owner) => own(owner, { name: 'absent' })],
    ['is of another kind', (owner) => own(owner, { kind: 'Secret' })],
  ])('%s: what it would own goes', async ([, refer]) => {
    const owner = await create('owner');
    await create('child', [refer(owner)]);
    expect(await listLeft()).toEqual(['owner']);
    expect(reported).toEqual([]);
  });

  it('is in another namespace: what it would own goes, and is told why', async () => {
    const owner = await create('owner', [], { namespace: b });
    await create('child', [own(owner)]);
    expect([await listLeft(), await listLeft(b)]).toEqual([[], ['owner']]);
    expect(reported).toEqual([
      `Warning OwnerRefInvalidNamespace ConfigMap child: ownerRef [v1/ConfigMap, namespace: ${a}, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "${a}"`,
    ]);
  });

  it('has a namespace where the object has none: it stays, and is told why', async () => {
    const owner = await create('owner');
    const metadata = { name: 'mine', ownerReferences: [own(owner)] };
    await client.create({ resource: namespaces }, { apiVersion: 'v1', kind: 'Namespace', metadata });
    await collector.waitUntilIdle();
    expect((await client.get({ resource: namespaces, name: 'mine' })).metadata.deletionTimestamp).toBeUndefined();
    expect(reported).toEqual([
      `Warning OwnerRefInvalidNamespace Namespace mine: ownerRef [v1/ConfigMap, namespace: , name: owner, uid: ${owner.metadata.uid}] does not exist in namespace ""`,
    ]);
  });

  it('is of a kind that is not served: it stays until the kind is', async () => {
    await create('child', [{ apiVersion: 'acme.example/v1', kind: 'Widget', name: 'w', uid: absentUid }]);
    expect(await listLeft()).toEqual(['child<w']);
    const definition = registry.kinds.find(({ kind }) => kind === 'ConfigMap');
    if (definition === undefined) throw new Error('there are no ConfigMaps');
    registry.replaceCustomKinds([{ ...definition, kind: 'Widget', plural: 'widgets', groupTemplate: 'acme.example' }]);
    expect(await listLeft()).toEqual([]);
  });

  it('is named in a version that is not served: it stays, whether the owner is there, never was, or goes', async () => {
    const owner = await create('owner');
    await create('child', [own(owner, { apiVersion: 'v9' })]);
    await create('stray', [{ ...own(owner, { apiVersion: 'v9' }), uid: absentUid }]);
    expect(await listLeft()).toEqual(['child<owner', 'owner', 'stray<owner']);
    await remove('owner');
    expect(await listLeft()).toEqual(['child<owner', 'stray<owner']);
  });

  it.for(['v1', 'core.bailiwick.dev/v1'])('is found by every name of its group: %s', async (apiVersion) => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: '1' } } };
    const owner = await client.create({ resource: quotas, namespace: a }, quota);
    await create('child', [own(owner, { apiVersion })]);
    expect(await listLeft()).toEqual(['child<q']);
    await client.delete({ resource: quotas, namespace: a, name: 'q' });
    expect(await listLeft()).toEqual([]);
  });
});

describe('a deletion in the foreground', () => {
  const foreground = { propagationPolicy: 'Foreground' };

  it('waits for the dependents that block it', async () => {
    const owner = await create('owner');
    await create('blocking', [own(owner, { blockOwnerDeletion: true })], { finalizers: ['a.example/x'] });
    await create('other', [own(owner)], { finalizers: ['a.example/x'] });
    await remove('owner', foreground);
    expect(await listLeft()).toEqual(['blocking<owner', 'other<owner', 'owner']);
    const reference = { resource: configMaps, namespace: a, name: 'blocking' };
    await client.patch(reference, 'application/merge-patch+json', { metadata: { finalizers: null } });
    expect(await listLeft()).toEqual(['other<owner']);
  });

  it('waits no longer for one that stops to block it', async () => {
    const owner = await create('owner');
    await create('child', [own(owner, { blockOwnerDeletion: true })], { finalizers: ['a.example/x'] });
    await remove('owner', foreground);
    expect(await listLeft()).toEqual(['child<owner', 'owner']);
    await client.patch({ resource: configMaps, namespace: a, name: 'child' }, 'application/merge-patch+json', {
      metadata: { ownerReferences: [{ ...own(owner), blockOwnerDeletion: false }] },
    });
    expect(await listLeft()).toEqual(['child<owner']);
  });

  it('leaves a dependent to its other owners', async () => {
    const [owner, second] = [await create('owner'), await create('second')];
    await create('child', [own(owner, { blockOwnerDeletion: true }), own(second)]);
    await remove('owner', foreground);
    expect(await listLeft()).toEqual(['child<second', 'second']);
  });

  it('goes down to the last dependent, from there up', async () => {
    let owner = await create('0');
    for (const name of ['1', '2', '3']) owner = await create(name, [own(owner, { blockOwnerDeletion: true })]);
    await remove('0', foreground);
    expect(await listLeft()).toEqual([]);
  });

  it('is over when many dependents are gone', async () => {
    const owner = await create('owner');
    const blocking = [own(owner, { blockOwnerDeletion: true })];
    await Promise.all(Array.from({ length: 600 }, (_, i) => create(`child-${i}`, blocking)));
    await remove('owner', foreground);
    expect(await listLeft()).toEqual([]);
  });

  it.for([2, 3, 5])('ends in a circle of %i', async (count) => {
    const objects: KubeObject[] = [];
    for (let i = 0; i < count; i += 1) objects.push(await create(String(i)));
    for (const [i, { metadata }] of objects.entries()) {
      const owner = objects[(i + count - 1) % count];
      if (owner === undefined) continue;
      await client.patch(
        { resource: configMaps, namespace: a, name: metadata.name ?? '' },
        'application/merge-patch+json',
        { metadata: { ownerReferences: [{ ...own(owner), blockOwnerDeletion: true }] } },
      );
    }
    await remove('0', foreground);
    expect(await listLeft()).toEqual([]);
  });
});

describe('a deletion that leaves orphans', () => {
  it('lets the dependents go, and leaves them their other owners', async () => {
    const [owner, second] = [await create('owner'), await create('second')];
    await create('child', [own(owner, { blockOwnerDeletion: true })]);
    await create('shared', [own(second), own(owner)]);
    await remove('owner', { propagationPolicy: 'Orphan' });
    expect(await listLeft()).toEqual(['child', 'second', 'shared<second']);
  });

  it('lets many go', async () => {
    const owner = await create('owner');
    await Promise.all(Array.from({ length: 150 }, (_, i) => create(`child-${i}`, [own(owner)])));
    await remove('owner', { orphanDependents: true });
    const left = await listLeft();
    expect([left.length, left.filter((name) => name.includes('<'))]).toEqual([150, []]);
  });
});

describe('a dependent of a kind that is not served at the moment', () => {
  const widgets: ResourceName = { group: 'acme.example', version: 'v1', resource: 'widgets' };

  function serveWidgets(isServed: boolean): void {
    const definition = registry.kinds.find(({ kind }) => kind === 'ConfigMap');
    if (definition === undefined) throw new Error('there are no ConfigMaps');
    const widget = { ...definition, kind: 'Widget', plural: 'widgets', groupTemplate: 'acme.example' };
    registry.replaceCustomKinds(isServed ? [widget] : []);
  }

  async function createWidget(owner: KubeObject): Promise<void> {
    const metadata = { name: 'w', ownerReferences: [own(owner)] };
    await client.create(
      { resource: widgets, namespace: a },
      { apiVersion: 'acme.example/v1', kind: 'Widget', metadata },
    );
    await collector.waitUntilIdle();
  }

  beforeEach(() => serveWidgets(true));
  afterEach(() => serveWidgets(false));

  async function listWidgets(): Promise<string[]> {
    await collector.waitUntilIdle();
    const { items } = await client.list({ resource: widgets, namespace: a });
    return items.map(({ metadata }) => [metadata.name, metadata.ownerReferences?.length ?? 0].join('<'));
  }

  it.for([false, true])(
    'is let go when it is served again; the collector starts anew meanwhile: %s',
    async (isAway) => {
      const owner = await create('owner');
      await create('child', [own(owner)]);
      await createWidget(owner);
      serveWidgets(false);
      await remove('owner', { propagationPolicy: 'Orphan' });
      expect(await listLeft()).toEqual(['child', 'owner']);
      if (isAway) {
        await collector.close();
        await startCollector();
        expect(await listLeft()).toEqual(['child', 'owner']);
      }
      serveWidgets(true);
      expect([await listLeft(), await listWidgets()]).toEqual([['child'], ['w<0']]);
    },
  );

  it('goes when it is served again and its owner is gone', async () => {
    const owner = await create('owner');
    await createWidget(owner);
    serveWidgets(false);
    await remove('owner');
    expect(await listLeft()).toEqual([]);
    serveWidgets(true);
    expect(await listWidgets()).toEqual([]);
  });
});

describe('very many owners', () => {
  const lost = (index: number): OwnerReference => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', name: `n${index}` },
    uid: `${String(index).padStart(8, '0')}-1111-4111-8111-111111111111`,
  });

  it('go, all but the one that is there', async () => {
    const owner = await create('owner');
    await create('child', [...Array.from({ length: 2000 }, (_, i) => lost(i)), own(owner)]);
    expect(await listLeft()).toEqual(['child<owner', 'owner']);
  });

  it('are looked for elsewhere up to a bound', async () => {
    await client.create(
      { resource: configMaps, namespace: b },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n0' } },
    );
    const get = vi.spyOn(store, 'get');
    await create(
      'child',
      Array.from({ length: 2000 }, (_, i) => lost(i)),
    );
    expect(await listLeft()).toEqual([]);
    // Twice each for the object itself, and a hundred of them in each namespace.
    expect(get.mock.calls.length).toBeLessThan(2 * 2000 + 100 * (2 * tests + 10) + 500);
    get.mockRestore();
  });
});

describe('a collector that was away', () => {
  it('finds what happened meanwhile', async () => {
    const [background, foreground, orphan] = [
      await create('background'),
      await create('foreground'),
      await create('orphan'),
    ];
    for (const owner of [background, foreground, orphan]) {
      await create(`child-of-${owner.metadata.name}`, [own(owner, { blockOwnerDeletion: true })]);
    }
    await collector.close();
    await remove('background');
    await remove('foreground', { propagationPolicy: 'Foreground' });
    await remove('orphan', { propagationPolicy: 'Orphan' });
    expect((await client.list({ resource: configMaps, namespace: a })).items).toHaveLength(5);
    await startCollector();
    expect(await listLeft()).toEqual(['child-of-orphan']);
  });

  it('holds up no other writer of a dependent', async () => {
    const owner = await create('owner');
    await create('child', [own(owner)]);
    const reference = { resource: configMaps, namespace: a, name: 'child' };
    const writes = Array.from({ length: 30 }, (_, i) =>
      client
        .patch(reference, 'application/merge-patch+json', { data: { i: String(i) } })
        .catch((error: unknown) => error),
    );
    await remove('owner');
    await Promise.all(writes);
    await waitUntilGone(reference);
    expect(await listLeft()).toEqual([]);
  });
});
