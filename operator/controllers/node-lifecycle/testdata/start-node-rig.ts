import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DefaultTolerations } from '../../../../admission/default-tolerations.ts';
import { NewNodeTaint } from '../../../../admission/new-node-taint.ts';
import type { KubeObject } from '../../../../core/meta/kube-object.ts';
import { formatMicroTime, formatTime } from '../../../../core/time/time.ts';
import type { NodeCondition, NodeObject } from '../../../../kinds/core/node/node-object.ts';
import { readNodeTaintKeys } from '../../../../kinds/core/node/node-taint-keys.ts';
import type { Toleration } from '../../../../kinds/core/node/tolerations.ts';
import { buildKindRegistry } from '../../../../kinds/registry.ts';
import { createSilentLogger } from '../../../../platform/process/logger.ts';
import { type Clock, sleep, systemClock } from '../../../../platform/process/clock.ts';
import { ManualClock } from '../../../../platform/process/manual-clock.ts';
import { createMetricsRegistry } from '../../../../platform/process/metrics.ts';
import { getIfPresent } from '../../../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../../../platform/resources/resource-client.ts';
import { openSqliteStore } from '../../../../platform/store/sqlite-store.ts';
import { EmbeddedResources } from '../../../apiserver/pipeline/embedded-resources.ts';
import { buildNodeLifecycle, type NodeLifecycle } from '../build-node-lifecycle.ts';
import { defaultNodeLifecycleSettings, type NodeLifecycleSettings } from '../node-lifecycle-settings.ts';

const domain = 'bailiwick.dev';
const nodes = { group: '', version: 'v1', resource: 'nodes' };
const pods = { group: '', version: 'v1', resource: 'pods' };
const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** A pod as these tests look at it. */
export interface RigPod extends KubeObject {
  status?: { conditions?: { type: string; status: string; reason?: string }[] };
}

/** Nodes and pods in an embedded store, both controllers, and a clock that is turned by hand. */
export interface NodeRig {
  readonly client: ResourceClient;
  /** Events so far: component, type, reason, kind, name and message. */
  readonly events: string[];
  /** Resolves when the controllers have seen what is stored and done what it asks for now. */
  settle(): Promise<void>;
  /** Turns the clock forward in steps of a second, and settles after each; `each` comes before each step. */
  pass(seconds: number, each?: () => Promise<void>): Promise<void>;
  /** The clock goes on without anybody noticing, as while a process is suspended. */
  leap(seconds: number): void;
  /** The machine's clock is set otherwise, by so many seconds. */
  setClock(seconds: number): void;
  /** Ends both controllers and starts new ones. */
  restart(): Promise<void>;
  createNode(name: string, labels?: Record<string, string>): Promise<void>;
  /** What a node's agent says of it, with a heartbeat of now. */
  postStatus(name: string, status?: string): Promise<void>;
  renewLease(name: string): Promise<void>;
  createPod(name: string, nodeName: string, tolerations?: Toleration[]): Promise<void>;
  findNode(name: string): Promise<NodeObject>;
  /** `undefined` when it is gone. */
  findPod(name: string): Promise<RigPod | undefined>;
  /** Taints of a node, as `KEY:EFFECT`, without the prefix. */
  listTaints(name: string): Promise<string[]>;
  readMetric(line: string): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** Starts the controllers on a store of their own. */
export async function startNodeRig(settings: Partial<NodeLifecycleSettings> = {}): Promise<NodeRig> {
  const folder = await mkdtemp(join(tmpdir(), 'node-rig-'));
  const store = await openSqliteStore({ file: join(folder, 'store.db') });
  const hand = new ManualClock();
  let leaptMillis = 0;
  let setMillis = 0;
  const clock: Clock = {
    now: () => hand.now() + leaptMillis + setMillis,
    schedule: (delayMillis, callback) => hand.schedule(delayMillis, callback),
  };
  const registry = buildKindRegistry(domain);
  const keys = readNodeTaintKeys(domain);
  const resources = new EmbeddedResources({ store, registry, now: () => clock.now() });
  resources.install({
    plugins: [new NewNodeTaint(keys), new DefaultTolerations(keys, defaultNodeLifecycleSettings)],
    handlers: [],
    deletionHolds: [],
  });
  const client = resources.clientFor({ username: 'system:apiserver', groups: ['system:masters'] });
  const metrics = createMetricsRegistry();
  const events: string[] = [];
  const start = async (): Promise<NodeLifecycle> => {
    const built = buildNodeLifecycle({
      monotonicClock: { nowNanos: () => (hand.now() + leaptMillis) * 1e6 },
      ...{ client, clock, logger: createSilentLogger(), metrics, keys },
      settings: { ...defaultNodeLifecycleSettings, ...settings },
      recordAs: (component) => ({
        record: ({ kind, metadata }, type, reason, message) =>
          void events.push(`${component} ${type} ${reason} ${kind} ${metadata.name}: ${message}`),
      }),
    });
    await built.lifecycle.start();
    await built.eviction.start();
    return built;
  };
  let running = await start();
  const stopControllers = async (): Promise<void> => {
    await running.lifecycle.close();
    await running.eviction.close();
  };

  /** Turns of the event loop until nothing has been written for a while: what is stored reaches the controllers by a watch. */
  async function settle(): Promise<void> {
    for (let quiet = 0, last = ''; quiet < 3;) {
      await new Promise((resolve) => setTimeout(resolve, 4));
      const idle = Promise.all([running.lifecycle.waitUntilIdle(), running.eviction.waitUntilIdle()]).then(() => true);
      const isIdle = await Promise.race([idle, sleep(systemClock, 1_000)]);
      // Something waits for its next try.
      if (isIdle !== true) hand.advance(20);
      const { metadata } = await client.list({ resource: nodes }, { limit: 1 });
      const version = metadata.resourceVersion ?? '';
      quiet = version === last ? quiet + 1 : 0;
      last = version;
    }
  }

  const rig: NodeRig = {
    ...{ client, events, settle },
    leap: (seconds) => void (leaptMillis += seconds * 1_000),
    setClock: (seconds) => void (setMillis += seconds * 1_000),
    async pass(seconds, each) {
      for (let passed = 0; passed < seconds; passed += 1) {
        await each?.();
        if (each !== undefined) await settle();
        hand.advance(Math.min(1, seconds - passed) * 1_000);
        await settle();
      }
    },
    async restart() {
      await stopControllers();
      running = await start();
      hand.advance(0);
      await settle();
    },
    async createNode(name, labels = {}) {
      await client.create({ resource: nodes }, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
    },
    async postStatus(name, status = 'True') {
      const now = formatTime(clock.now());
      const { status: old } = await rig.findNode(name);
      const before = old?.conditions?.find(({ type }) => type === 'Ready');
      const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
      const ready: NodeCondition = { type: 'Ready', status, reason: 'Agent', message: 'm', lastHeartbeatTime: now };
      const patch = { status: { conditions: [{ ...ready, lastTransitionTime }] } };
      const type = 'application/strategic-merge-patch+json';
      await client.patch({ resource: nodes, name }, type, patch, {}, 'status');
    },
    async renewLease(name) {
      const reference = { resource: leases, namespace: 'kube-node-lease', name };
      const spec = { holderIdentity: name, renewTime: formatMicroTime(clock.now()) };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec };
      if ((await getIfPresent(client, reference)) === undefined) await client.create(reference, lease);
      else await client.patch(reference, 'application/merge-patch+json', { spec });
    },
    async createPod(name, nodeName, tolerations = []) {
      const spec = { nodeName, tolerations, containers: [{ name: 'c', image: 'i' }] };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
      await client.create({ resource: pods, namespace: 'default' }, pod);
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(clock.now()) }];
      const patch = { status: { phase: 'Running', conditions } };
      await client.patch({ resource: pods, namespace: 'default', name }, 'application/merge-patch+json', patch, {}, 'status');
    },
    findNode: (name) => client.get<NodeObject>({ resource: nodes, name }),
    findPod: (name) => getIfPresent<RigPod>(client, { resource: pods, namespace: 'default', name }),
    async listTaints(name) {
      const { spec } = await rig.findNode(name);
      return (spec?.taints ?? []).map(({ key, effect }) => `${key.replace(`${keys.prefix}/`, '')}:${effect}`);
    },
    async readMetric(line) {
      const text = await metrics.metrics();
      const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
      return found === undefined ? undefined : Number(found.slice(line.length + 1));
    },
    async stop() {
      await stopControllers();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  hand.advance(0);
  await settle();
  return rig;
}
