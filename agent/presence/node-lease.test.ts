import { setImmediate as settle } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { makeAlreadyExistsError, makeConflictError, makeNotFoundError } from '../../core/errors/make-status-error.ts';
import { HostUnreachableError } from '../../platform/kube/host-unreachable-error.ts';
import type { Lease } from '../../platform/kube/lease.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { createMetricsRegistry } from '../../platform/process/metrics.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { NodeLease, type NodeLeaseOptions } from './node-lease.ts';

const identity = {
  namespace: 'system',
  name: 'bailiwick-agent-node-1',
  holder: 'node-1',
  durationSeconds: 40,
  labels: { 'app.kubernetes.io/component': 'agent' },
};
const key = 'node.acme.example/agent-endpoint';
const annotations = { [key]: 'https://192.0.2.7:10350' };
const owner = { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'u' };

/** A server with one Lease that can be out of reach, and notes when it was asked for what. */
class LeaseServer {
  lease: Lease | undefined;
  isAway = false;
  readonly calls: (readonly [string, number])[] = [];
  readonly #clock: ManualClock;
  readonly #startMillis: number;
  #version = 0;

  constructor(clock: ManualClock) {
    this.#clock = clock;
    this.#startMillis = clock.now();
  }

  get client(): ResourceClient {
    return {
      get: async () => {
        this.#note('get');
        if (this.lease === undefined) throw makeNotFoundError('coordination.k8s.io', 'leases', 'l');
        return structuredClone(this.lease);
      },
      create: async (_reference: unknown, lease: Lease) => {
        this.#note('create');
        if (this.lease !== undefined) throw makeAlreadyExistsError('coordination.k8s.io', 'leases', 'l');
        return this.store(lease);
      },
      update: async (_reference: unknown, lease: Lease) => {
        this.#note('update');
        if (this.lease === undefined) throw makeNotFoundError('coordination.k8s.io', 'leases', 'l');
        if (lease.metadata.resourceVersion !== this.lease.metadata.resourceVersion) {
          throw makeConflictError('coordination.k8s.io', 'leases', 'l', 'the object has been modified');
        }
        return this.store(lease);
      },
    } as unknown as ResourceClient;
  }

  store(lease: Lease): Lease {
    this.#version += 1;
    this.lease = structuredClone({ ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } });
    return structuredClone(this.lease);
  }

  #note(verb: string): void {
    this.calls.push([verb, this.#clock.now() - this.#startMillis]);
    if (this.isAway) throw new HostUnreachableError('connection refused');
  }
}

function keep(given: Partial<NodeLeaseOptions> = {}, prepare: (server: LeaseServer) => void = () => undefined) {
  const clock = new ManualClock();
  const server = new LeaseServer(clock);
  prepare(server);
  const controller = new AbortController();
  const metrics = createMetricsRegistry();
  const lease = new NodeLease({
    ...{ client: server.client, identity, findOwner: async () => undefined, needsOwner: false, metrics },
    readAnnotations: () => annotations,
    ...{ clock, logger: createSilentLogger(), random: () => 0 },
    ...given,
  });
  const pass = async (millis: number): Promise<void> => {
    const endMillis = clock.now() + millis;
    for (;;) {
      for (let i = 0; i < 30; i += 1) await settle();
      if (clock.now() >= endMillis) return;
      clock.advance(Math.min(100, endMillis - clock.now()));
    }
  };
  const running = lease.run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await running;
  };
  return { clock, server, metrics, pass, stop };
}

describe('the Lease of an agent', () => {
  it('is made, and renewed every 10 s [Limits#15]', async () => {
    const { server, pass, stop } = keep();
    await pass(0);
    expect(server.lease).toMatchObject({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: identity.name,
        namespace: 'system',
        labels: identity.labels,
        annotations,
      },
      spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    await pass(30_000);
    expect(server.calls).toEqual([
      ['get', 0],
      ['create', 0],
      ['update', 10_000],
      ['update', 20_000],
      ['update', 30_000],
    ]);
    expect(server.lease?.spec.renewTime).toBe('2026-01-01T00:00:30.000000Z');
    await stop();
  });

  it('is asked for again after 200 ms, and less and less often up to 7 s, while the server is away [Limits#15]', async () => {
    const { server, pass, stop } = keep({}, (away) => {
      away.isAway = true;
    });
    await pass(30_000);
    const times = server.calls.map(([, millis]) => millis);
    expect(times.slice(1).map((millis, i) => millis - (times[i] ?? 0))).toEqual([
      ...[200, 400, 800, 1_600, 3_200, 6_400, 7_000, 7_000],
    ]);
    server.isAway = false;
    await pass(7_000);
    expect(server.lease?.spec.holderIdentity).toBe('node-1');
    await stop();
  });

  it('that is there already is taken over, and keeps what others wrote', async () => {
    const old = {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
      metadata: { name: identity.name, namespace: 'system', annotations: { team: 'a' }, ownerReferences: [owner] },
      spec: { holderIdentity: 'old', renewTime: '2025-01-01T00:00:00.000000Z' },
    };
    const { server, metrics, pass, stop } = keep({}, (other) => void other.store(old));
    await pass(0);
    expect(server.lease).toMatchObject({
      metadata: { annotations: { team: 'a', ...annotations }, ownerReferences: [owner] },
      spec: { holderIdentity: 'node-1', renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    const text = await metrics.metrics();
    expect(text).toContain('bailiwick_agent_lease_renewals_total{result="success"} 1');
    expect(text).toContain(`bailiwick_agent_lease_renewed_timestamp_seconds ${Date.UTC(2026, 0, 1) / 1000}`);
    await stop();
  });

  it('tells at every renewal where the agent is reached by then, or nothing while it is not', async () => {
    let endpoint: string | undefined;
    const { server, pass, stop } = keep({ readAnnotations: () => ({ [key]: endpoint }) });
    await pass(0);
    const seen = [server.lease?.metadata.annotations];
    for (endpoint of ['https://192.0.2.7:10350', 'https://192.0.2.8:10350', undefined]) {
      await pass(10_000);
      seen.push(server.lease?.metadata.annotations);
    }
    expect(seen).toEqual([{}, { [key]: 'https://192.0.2.7:10350' }, { [key]: 'https://192.0.2.8:10350' }, {}]);
    await stop();
  });

  it('is renewed although someone else wrote it, or deleted it', async () => {
    const { server, pass, stop } = keep();
    await pass(0);
    server.store({ ...(server.lease as Lease), spec: { holderIdentity: 'thief' } });
    await pass(10_000);
    expect(server.lease?.spec.holderIdentity).toBe('node-1');
    server.lease = undefined;
    await pass(10_000);
    expect(server.lease).toMatchObject({ spec: { holderIdentity: 'node-1' } });
    await stop();
  });

  it('waits for its Node where it must go with that', async () => {
    let isThere = false;
    const findOwner = async () => {
      if (!isThere) throw makeNotFoundError('', 'nodes', 'node-1');
      return owner;
    };
    const { server, pass, stop } = keep({ findOwner, needsOwner: true });
    await pass(3_000);
    expect(server.lease).toBeUndefined();
    isThere = true;
    await pass(1_000);
    expect(server.lease?.metadata.ownerReferences).toEqual([owner]);
    await stop();
  });

  it('gets an owner as soon as there is one', async () => {
    let found: typeof owner | undefined;
    const { server, pass, stop } = keep({ findOwner: async () => found });
    await pass(0);
    expect(server.lease?.metadata).not.toHaveProperty('ownerReferences');
    found = owner;
    await pass(10_000);
    expect(server.lease?.metadata.ownerReferences).toEqual([owner]);
    await stop();
  });
});
