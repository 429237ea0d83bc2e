import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from 'vitest';

import type { KubeObject } from '../core/meta/kube-object.ts';
import { deriveCrd } from '../kinds/derive-crd.ts';
import { buildKindRegistry } from '../kinds/registry.ts';
import { EventRecorder } from '../platform/kube/event-recorder.ts';
import type { HostConnection } from '../platform/kube/host-connection.ts';
import { HostDiscovery } from '../platform/kube/host-discovery.ts';
import { openHostConnection } from '../platform/kube/open-host-connection.ts';
import { systemClock } from '../platform/process/clock.ts';
import { createSilentLogger } from '../platform/process/logger.ts';
import { CollectionIndex } from '../platform/resources/collection-index.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import { ObjectWatch } from '../platform/resources/object-watch.ts';
import type { ResourceClient } from '../platform/resources/resource-client.ts';
import { buildKubernetesProgram } from './cluster/build-control-plane.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { describeNode } from './cluster/describe-node.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { startNodeCluster } from './cluster/start-node-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { installCrds } from './crds/install-crds.ts';

const run = promisify(execFile);
const registry = buildKindRegistry('bailiwick.dev');
const common = { clock: systemClock, logger: createSilentLogger() };
const projectRoot = fileURLToPath(new URL('..', import.meta.url));
const core = (resource: string) => ({ group: '', version: 'v1', resource });
const secrets = { resource: core('secrets'), namespace: 'default' };

async function connect(kubeconfig: string) {
  const connection = await openHostConnection({ kubeconfig, ...common, userAgent: 'suite/1.0' });
  return { connection, client: createHostResourceClient({ connection, registry, clock: systemClock }) };
}

describeCluster('what programs share on a host', () => {
  let cluster: Cluster;
  let connection: HostConnection;
  let client: ResourceClient;

  beforeAll(async () => {
    cluster = await startCluster();
    await installCrds(cluster, 'bailiwick.dev');
    ({ connection, client } = await connect(cluster.kubeconfig));
  });
  afterAll(async () => {
    connection?.close();
    await cluster?.stop();
  });

  it('shows Events where kubectl describes the object', async () => {
    const recorder = new EventRecorder({ client, ...common, component: 'bailiwick-test', instance: 'here', registry });
    const quota = await client.create({ resource: core('resourcequotas'), namespace: 'default' }, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'described' },
      spec: { hard: { pods: '1' } },
    } as KubeObject);
    for (let i = 0; i < 3; i += 1) recorder.record(quota, 'Warning', 'Full', 'no room for pods');
    recorder.record(quota, 'Normal', 'Enforced', 'it is in force');
    await recorder.waitUntilIdle();
    await recorder.close();
    const kubectl = await buildKubernetesProgram('kubectl');
    const words = ['--kubeconfig', cluster.kubeconfig, 'describe', 'resourcequotas.core.bailiwick.dev', 'described'];
    const { stdout } = await run(kubectl, words);
    expect(stdout).toMatch(/Warning +Full +\S+( \(x3 over \S+\))? +bailiwick-test +no room for pods/);
    expect(stdout).toMatch(/Normal +Enforced +\S+ +bailiwick-test +it is in force/);
    const { items } = await client.list({ resource: core('events'), namespace: 'default' });
    expect(items).toContainEqual(expect.objectContaining({ reason: 'Full', count: 3 }));
  });

  it('follows one object through its life', async () => {
    const reference = { ...secrets, name: 'followed' };
    const watch = new ObjectWatch({ client, reference, clock: systemClock, onFailure: () => undefined });
    const seen: (string | undefined)[] = [];
    const read = (object: KubeObject | undefined) => object?.metadata.labels?.['v'];
    await watch.start();
    expect(watch.current).toBeUndefined();
    watch.subscribe((object) => seen.push(read(object)));
    const make = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, labels: { v: '1' } } });
    await client.create(secrets, make('other'));
    await client.create(secrets, make('followed'));
    await client.patch(reference, 'application/merge-patch+json', { metadata: { labels: { v: '2' } } });
    await waitUntil('the change to be seen', async () => read(watch.current) === '2');
    await client.delete(reference);
    await waitUntil('the deletion to be seen', async () => seen.length === 3);
    expect(seen).toEqual(['1', '2', undefined]);
    expect(watch.current).toBeUndefined();
    await watch.close();
  });

  it('reads metadata alone, never what a Secret holds', async () => {
    const narrow = createHostResourceClient({ connection, registry, clock: systemClock, metadataOnly: true });
    const { metadata } = await narrow.list(secrets, { limit: 1 });
    const controller = new AbortController();
    const { resourceVersion = '' } = metadata;
    const watch = narrow.watch(secrets, { resourceVersion, signal: controller.signal })[Symbol.asyncIterator]();
    const first = watch.next();
    const made = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden' }, stringData: { password: 'x' } };
    await client.create(secrets, made);
    const { items } = await narrow.list(secrets, { fieldSelector: 'metadata.name=hidden' });
    for (const object of [(await first).value?.object, items[0], await narrow.get({ ...secrets, name: 'hidden' })]) {
      expect(Object.keys(object as object).toSorted()).toEqual(['apiVersion', 'kind', 'metadata']);
      expect(object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'hidden' } });
    }
    controller.abort();
    expect((await watch.next()).done).toBe(true);
  });

  it('sees at once what a host begins and ceases to serve, whatever groups are broken', async () => {
    const discovery = new HostDiscovery({ connection, client, ...common, pollMillis: 600_000 });
    await discovery.start();
    const find = (group: string, resource: string) =>
      discovery.resources.find((each) => each.group === group && each.resource === resource);
    expect(find('', 'pods')).toMatchObject({ version: 'v1', kind: 'Pod', namespaced: true });
    expect(find('', 'pods')?.subresources).toEqual(expect.arrayContaining(['status', 'resize', 'eviction']));
    expect(find('apps', 'deployments')?.verbs).toEqual(expect.arrayContaining(['create', 'list', 'watch', 'delete']));
    expect(find('core.bailiwick.dev', 'resourcequotas')).toMatchObject({ version: 'v1', shortNames: ['quota'] });

    await client.create({ resource: { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' } }, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.broken.example.com' },
      spec: {
        ...{ group: 'broken.example.com', version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 15 },
        service: { name: 'nobody', namespace: 'default' },
        insecureSkipTLSVerify: true,
      },
    } as KubeObject);
    const other = buildKindRegistry('other.example').find('', 'v1', 'limitranges');
    if (other === undefined) throw new Error('there is no such kind');
    const crds = { resource: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' } };
    const made = await client.create(crds, deriveCrd(other) as unknown as KubeObject);
    // Far sooner than it would look again by itself.
    await waitUntil('the kind to be discovered', async () => find('core.other.example', 'limitranges') !== undefined);
    await client.delete({ ...crds, name: made.metadata.name ?? '' });
    await waitUntil('the kind to be gone', async () => find('core.other.example', 'limitranges') === undefined);
    expect(find('', 'pods')).toBeDefined();
    await discovery.close();
  });

  it('has a new leader when the Lease of the old one that was killed is over, and at once when it ended in order', async () => {
    const lease = { resource: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' } };
    const held: LeaseSpec[] = [];
    const ending = new AbortController();
    const following = followLease(client, held, ending.signal);
    const candidates = ['a', 'b', 'c'].map((identity) => startCandidate(cluster.kubeconfig, identity));
    try {
      const [first] = await Promise.race(
        candidates.map((candidate) => candidate.leads.then(() => [candidate] as const)),
      );
      if (first === undefined) throw new Error('nobody leads');
      first.child.kill('SIGKILL');
      const others = candidates.filter((candidate) => candidate !== first);
      const second = await Promise.race(others.map((candidate) => candidate.leads.then(() => candidate)));
      second.child.kill('SIGTERM');
      expect((await once(second.child, 'exit'))[0]).toBe(0);
      const third = others.find((candidate) => candidate !== second);
      await third?.leads;
      await waitUntil('the third to be seen', async () => held.at(-1)?.holderIdentity === third?.identity);
      const holders = held.map(({ holderIdentity }) => holderIdentity);
      // Nobody gave it back for the one that was killed.
      expect(holders.filter((holder, i) => holder !== holders[i - 1])).toEqual([
        ...[first, second].map(({ identity }) => identity),
        '',
        third?.identity,
      ]);
      const taken = held.find(({ holderIdentity }) => holderIdentity === second.identity);
      const last = held.findLast(({ holderIdentity }) => holderIdentity === first.identity);
      const idleMillis = Date.parse(taken?.acquireTime ?? '') - Date.parse(last?.renewTime ?? '');
      expect(idleMillis).toBeGreaterThanOrEqual(leaseMillis);
      const freed = held.findLast(({ holderIdentity }) => holderIdentity === '');
      const retaken = held.findLast(({ holderIdentity }) => holderIdentity === third?.identity);
      const freeMillis = Date.parse(retaken?.acquireTime ?? '') - Date.parse(freed?.renewTime ?? '');
      expect(freeMillis).toBeLessThan(leaseMillis);
      const { spec } = await client.get<KubeObject & { spec: object }>({
        ...lease,
        namespace: 'default',
        name: 'suite',
      });
      expect(spec).toMatchObject({ leaseDurationSeconds: leaseMillis / 1000, leaseTransitions: 2 });
    } finally {
      ending.abort();
      await Promise.all([following, ...candidates.map(stopCandidate)]);
    }
  });
});

/** Far longer than what is free takes to be taken, be the machine busy. */
const leaseMillis = 8_000;

interface LeaseSpec {
  readonly holderIdentity: string;
  readonly acquireTime: string;
  readonly renewTime: string;
}

/** Notes every state of the candidates' Lease, from before there is one. */
async function followLease(client: ResourceClient, held: LeaseSpec[], signal: AbortSignal): Promise<void> {
  const reference = {
    resource: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' },
    namespace: 'default',
  };
  const { metadata } = await client.list(reference);
  const { resourceVersion = '' } = metadata;
  const fieldSelector = 'metadata.name=suite';
  try {
    for await (const { object } of client.watch(reference, { resourceVersion, fieldSelector, signal })) {
      held.push((object as KubeObject & { spec: LeaseSpec }).spec);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Candidate {
  readonly identity: string;
  readonly child: ChildProcess;
  readonly leads: Promise<void>;
}

function startCandidate(kubeconfig: string, identity: string): Candidate {
  const load = (file: string): string => JSON.stringify(join(projectRoot, 'platform', file));
  const program = `
    import { LeaderElection } from ${load('kube/leader-election.ts')};
    import { openHostConnection } from ${load('kube/open-host-connection.ts')};
    import { createHostResourceClient } from ${load('resources/host-resource-client.ts')};
    import { systemClock as clock } from ${load('process/clock.ts')};
    import { createLogger } from ${load('process/logger.ts')};
    import { buildKindRegistry } from ${JSON.stringify(join(projectRoot, 'kinds/registry.ts'))};
    const logger = createLogger({ level: 'warn', program: 'candidate' });
    const connection = await openHostConnection({ kubeconfig: ${JSON.stringify(kubeconfig)}, clock, logger, userAgent: 'x' });
    const registry = buildKindRegistry('bailiwick.dev');
    const client = createHostResourceClient({ connection, registry, clock, requestTimeoutMillis: 1_000 });
    const controller = new AbortController();
    process.on('SIGTERM', () => controller.abort());
    setInterval(() => undefined, 1_000);
    const election = new LeaderElection({ client, clock, logger, namespace: 'default', name: 'suite',
      identity: ${JSON.stringify(identity)}, leaseDurationMillis: ${leaseMillis}, renewDeadlineMillis: 2_000, retryPeriodMillis: 500 });
    await election.run({ signal: controller.signal, onStarted: () => console.log('leads') });
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  return { identity, child, leads: once(lines, 'line').then(() => undefined) };
}

async function stopCandidate({ child }: Candidate): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

describeNode('copies of collections on a host that is killed', () => {
  let cluster: NodeCluster;
  let connection: HostConnection;
  let client: ResourceClient;

  beforeAll(async () => {
    cluster = await startNodeCluster({});
    await installCrds(cluster, 'bailiwick.dev');
    ({ connection, client } = await connect(cluster.kubeconfig));
  });
  afterAll(async () => {
    connection?.close();
    await cluster?.stop();
  });

  it('are whole again after every kill of its API server and its store', async () => {
    const resources = [core('configmaps'), core('limitranges')];
    const indexes = resources.map(
      (resource) =>
        new CollectionIndex({ client, reference: { resource }, clock: systemClock, onFailure: () => undefined }),
    );
    await Promise.all(indexes.map((index) => index.start()));
    const writer = new AbortController();
    let written = 0;
    const write = async (): Promise<void> => {
      for (let i = 0; !writer.signal.aborted; i += 1) {
        const name = `w-${i}`;
        const namespace = 'default';
        const spec = { limits: [{ type: 'Pod', max: { cpu: String(i + 1) } }] };
        try {
          await client.create(
            { resource: core('configmaps'), namespace },
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
          );
          await client.create({ resource: core('limitranges'), namespace }, {
            apiVersion: 'v1',
            kind: 'LimitRange',
            metadata: { name },
            spec,
          } as KubeObject);
          if (i % 3 === 0) await client.delete({ resource: core('configmaps'), namespace, name });
          written += 1;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    };
    const writing = write();
    for (const program of ['kube-apiserver', 'etcd', 'kube-apiserver'] as const) {
      const before = written;
      await waitUntil('writes to succeed', async () => written > before + 20);
      await cluster.killProgram(program);
      await cluster.startProgram(program);
      await cluster.waitUntilServing();
    }
    const before = written;
    await waitUntil('writes to succeed again', async () => written > before + 20);
    writer.abort();
    await writing;
    const show = (objects: readonly KubeObject[]) =>
      objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`).toSorted();
    for (const [i, index] of indexes.entries()) {
      const reference = { resource: resources[i] ?? core('configmaps') };
      await waitUntil('the copy to be whole', async () => {
        const { items } = await client.list(reference);
        return JSON.stringify(show(items)) === JSON.stringify(show(index.list()));
      });
      await index.close();
    }
  });
});
