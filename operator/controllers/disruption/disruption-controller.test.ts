import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { KubeObject, OwnerReference } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import { formatTime } from '../../../core/time/time.ts';
import type { BudgetPod } from '../../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import type { PodDisruptionBudget } from '../../../kinds/policy/pod-disruption-budget/schema.ts';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import { ManualClock } from '../../../platform/process/manual-clock.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { findRegisteredScale } from '../../../platform/scale/scale-sources.ts';
import { openSqliteStore } from '../../../platform/store/sqlite-store.ts';
import type { ObjectStore } from '../../../platform/store/object-store.ts';
import { EmbeddedResources } from '../../apiserver/pipeline/embedded-resources.ts';
import { DisruptionController } from './disruption-controller.ts';

const namespace = 'team';
const pods: ResourceName = { group: '', version: 'v1', resource: 'pods' };
const budgets: ResourceName = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
const replicaSets: ResourceName = { group: 'apps', version: 'v1', resource: 'replicasets' };
const deployments: ResourceName = { group: 'apps', version: 'v1', resource: 'deployments' };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

let directory: string;
let store: ObjectStore;
let client: ResourceClient;
let clock: ManualClock;
let controller: DisruptionController;
let told: string[];
let updates: number;
let isInForce: boolean;
const gateListeners = new Set<() => void>();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'disruption-'));
  store = await openSqliteStore({ file: join(directory, 'store.db') });
  const registry = buildKindRegistry('bailiwick.dev');
  clock = new ManualClock(Date.UTC(2026, 0, 1));
  const resources = new EmbeddedResources({ store, registry, now: () => clock.now() });
  client = resources.clientFor({ username: 'system:test', groups: ['system:masters'] });
  resources.install({ plugins: [], handlers: [], deletionHolds: [] });
  told = [];
  updates = 0;
  isInForce = true;
  controller = new DisruptionController({
    ...{ client: countUpdates(), clock, logger: createSilentLogger(), clearsConditions: true },
    findResource: findRegisteredScale(registry),
    gate: {
      isInForce: () => isInForce,
      subscribe(listener) {
        gateListeners.add(listener);
        return () => gateListeners.delete(listener);
      },
    },
    events: {
      record: ({ kind, metadata }, type, reason, message) =>
        told.push(`${type} ${kind}/${metadata.name} ${reason}: ${message}`),
    },
  });
});

afterEach(async () => {
  await controller.close();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

/** The client, with a count of its updates. */
function countUpdates(): ResourceClient {
  return {
    ...{ get: (...args) => client.get(...args), list: (...args) => client.list(...args) },
    ...{ watch: (...args) => client.watch(...args), create: (...args) => client.create(...args) },
    update(...args) {
      updates += 1;
      return client.update(...args);
    },
    ...{ patch: (...args) => client.patch(...args), delete: (...args) => client.delete(...args) },
    deleteCollection: (...args) => client.deleteCollection(...args),
  };
}

async function createBudget(name: string, spec: object): Promise<PodDisruptionBudget> {
  const object = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec };
  return client.create({ resource: budgets, namespace }, object as unknown as PodDisruptionBudget);
}

const selector = { matchLabels: { app: 'web' } };

async function setReady(name: string, status: 'True' | 'False', further: object[] = []): Promise<void> {
  const reference = { resource: pods, namespace, name };
  const pod = await client.get<BudgetPod>(reference);
  const conditions = [{ type: 'Ready', status }, ...further];
  await client.update(reference, { ...pod, status: { phase: 'Running', conditions } } as BudgetPod, {}, 'status');
}

async function createPod(name: string, owner?: OwnerReference, labels: Record<string, string> = { app: 'web' }) {
  const ownerReferences = owner === undefined ? {} : { ownerReferences: [owner] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels, ...ownerReferences }, spec: template.spec };
  await client.create({ resource: pods, namespace }, pod);
  await setReady(name, 'True');
}

function removePod(name: string): Promise<KubeObject> {
  return client.delete({ resource: pods, namespace, name }, { gracePeriodSeconds: 0 });
}

async function createWorkload(
  resource: ResourceName,
  kind: string,
  replicas: number,
  owner?: OwnerReference,
): Promise<OwnerReference> {
  const metadata = { name: 'web', ...(owner === undefined ? {} : { ownerReferences: [owner] }) };
  const object: KubeObject & { spec: object } = {
    ...{ apiVersion: 'apps/v1', kind, metadata },
    spec: { replicas, selector, template },
  };
  const { uid = '' } = (await client.create({ resource, namespace }, object)).metadata;
  return { apiVersion: 'apps/v1', kind, name: 'web', uid, controller: true };
}

async function readStatus(name: string): Promise<PodDisruptionBudget['status']> {
  return (await client.get<PodDisruptionBudget>({ resource: budgets, namespace, name })).status;
}

/** Waits until a budget's status has these fields. */
async function expectStatus(name: string, expected: Partial<PodDisruptionBudget['status']>): Promise<void> {
  await expect.poll(() => readStatus(name), { interval: 5 }).toMatchObject(expected);
}

async function grant(name: string, podName: string, atMillis: number): Promise<void> {
  const reference = { resource: budgets, namespace, name };
  const budget = await client.get<PodDisruptionBudget>(reference);
  const { status } = budget;
  const disruptedPods = { ...status.disruptedPods, [podName]: formatTime(atMillis) };
  const changed = { ...status, disruptedPods, disruptionsAllowed: status.disruptionsAllowed - 1 };
  await client.update(reference, { ...budget, status: changed }, {}, 'status');
}

describe('DisruptionController', () => {
  it('counts pods as they come, become Ready, and go', async () => {
    await controller.start();
    await createBudget('b', { minAvailable: 1, selector });
    await expectStatus('b', { observedGeneration: 1, expectedPods: 0, disruptionsAllowed: 0 });
    await createPod('p0');
    await createPod('p1');
    await createPod('other', undefined, { app: 'db' });
    await expectStatus('b', { expectedPods: 2, currentHealthy: 2, disruptionsAllowed: 1 });
    await setReady('p0', 'False');
    await expectStatus('b', { expectedPods: 2, currentHealthy: 1, disruptionsAllowed: 0 });
    await setReady('p0', 'True');
    await removePod('p1');
    await expectStatus('b', { expectedPods: 1, currentHealthy: 1, disruptionsAllowed: 0 });
    expect(told).toEqual(['Normal PodDisruptionBudget/b NoPods: No matching pods found']);
  });

  it('counts what was there before it started', async () => {
    await createPod('p0');
    await createBudget('b', { minAvailable: 0, selector });
    await controller.start();
    await expectStatus('b', { currentHealthy: 1, disruptionsAllowed: 1 });
  });

  it('counts anew when the budget changes, and when it selects other pods', async () => {
    await controller.start();
    await createPod('p0');
    await createPod('d0', undefined, { app: 'db' });
    await createPod('d1', undefined, { app: 'db' });
    const budget = await createBudget('b', { minAvailable: 1, selector });
    await expectStatus('b', { expectedPods: 1, disruptionsAllowed: 0 });
    const latest = await client.get<PodDisruptionBudget>({ resource: budgets, namespace, name: 'b' });
    const spec = { ...budget.spec, selector: { matchLabels: { app: 'db' } } };
    await client.update({ resource: budgets, namespace, name: 'b' }, { ...latest, spec });
    await expectStatus('b', { observedGeneration: 2, expectedPods: 2, disruptionsAllowed: 1 });
  });

  it('takes a pod whose labels change from one budget to the other', async () => {
    await controller.start();
    await createBudget('web', { minAvailable: 0, selector });
    await createBudget('db', { minAvailable: 0, selector: { matchLabels: { app: 'db' } } });
    await createPod('p0');
    await expectStatus('web', { expectedPods: 1 });
    const reference = { resource: pods, namespace, name: 'p0' };
    const pod = await client.get(reference);
    await client.update(reference, { ...pod, metadata: { ...pod.metadata, labels: { app: 'db' } } });
    await expectStatus('web', { expectedPods: 0, currentHealthy: 0 });
    await expectStatus('db', { expectedPods: 1, currentHealthy: 1, disruptionsAllowed: 1 });
  });

  it('keeps every budget of a pod', async () => {
    await controller.start();
    await createBudget('a', { minAvailable: 0, selector });
    await createBudget('b', { minAvailable: 1, selector: {} });
    await createPod('p0');
    await expectStatus('a', { currentHealthy: 1, disruptionsAllowed: 1 });
    await expectStatus('b', { currentHealthy: 1, disruptionsAllowed: 0 });
  });

  it('counts what the deployment of a replica set wants, and follows it', async () => {
    await controller.start();
    const deployment = await createWorkload(deployments, 'Deployment', 4);
    const owner = await createWorkload(replicaSets, 'ReplicaSet', 2, deployment);
    await createBudget('b', { maxUnavailable: '25%', selector });
    await createPod('p0', owner);
    await expectStatus('b', { expectedPods: 4, desiredHealthy: 3, currentHealthy: 1 });
    const scale = { spec: { replicas: 8 } };
    const reference = { resource: deployments, namespace, name: 'web' };
    await client.patch(reference, 'application/merge-patch+json', scale);
    await expectStatus('b', { expectedPods: 8, desiredHealthy: 6 });
  });

  it('fails while a pod has no controller that is there, and counts when it comes', async () => {
    await controller.start();
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'gone', controller: true };
    await createBudget('b', { maxUnavailable: 1, selector });
    await createPod('p0', owner);
    const fault = 'found no controllers for pod "p0"';
    await expectStatus('b', {
      disruptionsAllowed: 0,
      conditions: [expect.objectContaining({ status: 'False', reason: 'SyncFailed', message: fault }) as never],
    });
    expect(told.at(-1)).toBe(
      `Warning PodDisruptionBudget/b CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: ${fault}`,
    );
    const real = await createWorkload(replicaSets, 'ReplicaSet', 2);
    await removePod('p0');
    await createPod('p1', real);
    await expectStatus('b', {
      expectedPods: 2,
      conditions: [expect.objectContaining({ reason: 'InsufficientPods' }) as never],
    });
  });

  it.for([
    ['Job', 'batch/v1', 'jobs.batch does not implement the scale subresource'],
    ['DaemonSet', 'apps/v1', 'daemonsets.apps does not implement the scale subresource'],
    ['Node', 'v1', 'nodes does not implement the scale subresource'],
    ['Rollout', 'acme.example/v1', 'no matches for kind "Rollout" in version "acme.example/v1"'],
  ] as const)('says why pods of a %s of %s cannot be counted', async ([kind, apiVersion, message]) => {
    await controller.start();
    await createBudget('b', { minAvailable: '50%', selector });
    await createPod('p0', { apiVersion, kind, name: 'x', uid: 'u', controller: true });
    await expectStatus('b', { conditions: [expect.objectContaining({ reason: 'SyncFailed', message }) as never] });
  });

  it('tells of unmanaged pods once', async () => {
    await controller.start();
    await createPod('p0');
    await createPod('p1');
    await createBudget('b', { maxUnavailable: 1, selector });
    await expectStatus('b', { expectedPods: 0, currentHealthy: 2, disruptionsAllowed: 0 });
    await setReady('p0', 'False');
    await expectStatus('b', { currentHealthy: 1 });
    expect(told).toEqual([
      'Warning PodDisruptionBudget/b UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: ' +
        '&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be ' +
        'unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
        'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ]);
  });

  it('warns of a budget that can never allow an eviction, while that is so', async () => {
    await controller.start();
    const owner = await createWorkload(replicaSets, 'ReplicaSet', 2);
    await createPod('p0', owner);
    await createBudget('b', { minAvailable: 2, selector });
    await expectStatus('b', { desiredHealthy: 2 });
    const warning =
      'Warning PodDisruptionBudget/b ImpossibleBudget: minAvailable is 2, and the controllers of the selected pods want 2 replicas: ' +
      'no eviction of a healthy pod can ever be allowed, so nodes with such pods cannot be drained';
    await expect.poll(() => told).toEqual([warning]);
    const scaleTo = (replicas: number) =>
      client.patch({ resource: replicaSets, namespace, name: 'web' }, 'application/merge-patch+json', {
        spec: { replicas },
      });
    await scaleTo(3);
    await createPod('p1', owner);
    await createPod('p2', owner);
    await expectStatus('b', { expectedPods: 3, disruptionsAllowed: 1 });
    expect(told).toEqual([warning]);
    await scaleTo(2);
    await expect.poll(() => told).toEqual([warning, warning]);
  });

  it('forgets a grant after two minutes, and tells whose pod was not deleted', async () => {
    await controller.start();
    await createBudget('b', { minAvailable: 0, selector });
    await createPod('p0');
    await createPod('p1');
    await expectStatus('b', { disruptionsAllowed: 2 });
    await grant('b', 'p0', clock.now());
    await expectStatus('b', { currentHealthy: 1, disruptionsAllowed: 1 });
    expect((await readStatus('b')).disruptedPods).toEqual({ p0: formatTime(clock.now()) });
    await expect.poll(() => clock.pendingCount).toBeGreaterThan(0);
    clock.advance(119_000);
    await setReady('p1', 'False');
    await expectStatus('b', { currentHealthy: 0 });
    clock.advance(1_000);
    await expectStatus('b', { currentHealthy: 1, disruptionsAllowed: 1 });
    expect((await readStatus('b')).disruptedPods ?? {}).toEqual({});
    expect(told).toContain("Warning Pod/p0 NotDeleted: Pod was expected by PDB team/b to be deleted but it wasn't");
  });

  it('drops the grant of a pod as soon as it goes', async () => {
    await controller.start();
    await createBudget('b', { minAvailable: 0, selector });
    await createPod('p0');
    await createPod('p1');
    await expectStatus('b', { disruptionsAllowed: 2 });
    await grant('b', 'p0', clock.now());
    await expectStatus('b', { currentHealthy: 1 });
    await removePod('p0');
    await expectStatus('b', { expectedPods: 1, currentHealthy: 1, disruptionsAllowed: 1 });
    await expect.poll(async () => (await readStatus('b')).disruptedPods ?? {}).toEqual({});
  });

  it('takes back what an undone charge left too low', async () => {
    await controller.start();
    await createBudget('b', { minAvailable: 0, selector });
    await createPod('p0');
    await expectStatus('b', { disruptionsAllowed: 1 });
    const reference = { resource: budgets, namespace, name: 'b' };
    const budget = await client.get<PodDisruptionBudget>(reference);
    await client.update(reference, { ...budget, status: { ...budget.status, disruptionsAllowed: 0 } }, {}, 'status');
    await expectStatus('b', { disruptionsAllowed: 1 });
  });

  it('writes changes that come together once, and nothing that says the same', async () => {
    await createBudget('b', { minAvailable: 0, selector });
    for (let i = 0; i < 20; i += 1) await createPod(`p${i}`);
    await controller.start();
    await expectStatus('b', { currentHealthy: 20 });
    expect(updates).toBe(1);
    await Promise.all(Array.from({ length: 20 }, (_, i) => setReady(`p${i}`, 'False')));
    await expectStatus('b', { currentHealthy: 0 });
    expect(updates).toBeLessThan(15);
    const before = updates;
    const reference = { resource: pods, namespace, name: 'p0' };
    await client.patch(reference, 'application/merge-patch+json', { metadata: { annotations: { note: 'x' } } });
    await setReady('p1', 'True');
    await expectStatus('b', { currentHealthy: 1 });
    expect(updates).toBe(before + 1);
  });

  it('writes the first status of a budget when it is in force, or after five seconds', async () => {
    isInForce = false;
    await controller.start();
    await createPod('p0');
    await createBudget('opened', { minAvailable: 0, selector });
    await expect.poll(() => clock.pendingCount).toBe(1);
    expect((await readStatus('opened')).observedGeneration).toBeUndefined();
    isInForce = true;
    for (const listener of gateListeners) listener();
    await expectStatus('opened', { observedGeneration: 1, disruptionsAllowed: 1 });
    isInForce = false;
    await createBudget('waited', { minAvailable: 0, selector });
    await expect.poll(() => clock.pendingCount).toBe(2);
    clock.advance(4_999);
    expect((await readStatus('waited')).observedGeneration).toBeUndefined();
    clock.advance(1);
    await expectStatus('waited', { observedGeneration: 1, disruptionsAllowed: 1 });
    await setReady('p0', 'False');
    await expectStatus('waited', { currentHealthy: 0 });
  });

  it('takes back the mark of a pod that nobody deletes, after two minutes', async () => {
    await controller.start();
    await createPod('p0');
    const readMark = async (): Promise<object | undefined> =>
      (await client.get<BudgetPod>({ resource: pods, namespace, name: 'p0' })).status?.conditions?.find(
        ({ type }) => type === 'DisruptionTarget',
      );
    const lastTransitionTime = formatTime(clock.now());
    const mark = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'm' };
    await setReady('p0', 'True', [{ ...mark, lastTransitionTime }]);
    await expect.poll(() => clock.pendingCount).toBeGreaterThan(0);
    clock.advance(119_000);
    expect(await readMark()).toMatchObject(mark);
    clock.advance(1_000);
    await expect.poll(readMark).toEqual({
      ...{ type: 'DisruptionTarget', status: 'False', observedGeneration: 1 },
      ...{ lastProbeTime: null, lastTransitionTime: formatTime(clock.now()) },
    });
  });
});
