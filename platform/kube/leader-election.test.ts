import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeAlreadyExistsError, makeConflictError, makeNotFoundError } from '../../core/errors/make-status-error.ts';
import { createSilentLogger } from '../process/logger.ts';
import { ManualClock } from '../process/manual-clock.ts';
import { createMetricsRegistry } from '../process/metrics.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import { HostUnreachableError } from './host-unreachable-error.ts';
import type { Lease } from './lease.ts';
import { LeaderElection } from './leader-election.ts';
import type { LeaderElectionOptions } from './leader-election.ts';

type Deliver = <T>(act: () => T) => Promise<T>;

/** A Lease behind a network: `deliver` decides when, and whether, a request arrives and its answer comes back. */
class LeaseServer {
  lease: Lease | undefined;
  #version = 0;

  clientOver(deliver: Deliver): ResourceClient {
    return {
      get: () =>
        deliver(() => {
          if (this.lease === undefined) throw makeNotFoundError('coordination.k8s.io', 'leases', 'l');
          return structuredClone(this.lease);
        }),
      create: (_reference: unknown, lease: Lease) =>
        deliver(() => {
          if (this.lease !== undefined) throw makeAlreadyExistsError('coordination.k8s.io', 'leases', 'l');
          return this.#store(lease);
        }),
      update: (_reference: unknown, lease: Lease) =>
        deliver(() => {
          if (lease.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) {
            throw makeConflictError('coordination.k8s.io', 'leases', 'l', 'the object has been modified');
          }
          return this.#store(lease);
        }),
    } as unknown as ResourceClient;
  }

  #store(lease: Lease): Lease {
    this.#version += 1;
    this.lease = structuredClone({ ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } });
    return structuredClone(this.lease);
  }
}

const atOnce: Deliver = async (act) => act();

/** A candidate with a clock of its own, and what it believes. */
class Candidate {
  readonly clock: ManualClock;
  readonly election: LeaderElection;
  readonly controller = new AbortController();
  readonly rate: number;
  terms = 0;
  work: AbortSignal | undefined;
  outcome: Promise<'lost' | 'ended'>;

  constructor(
    client: ResourceClient,
    identity: string,
    more: Partial<LeaderElectionOptions> = {},
    rate = 1,
    skewMillis = 0,
  ) {
    this.rate = rate;
    this.clock = new ManualClock(Date.UTC(2026, 0, 1) + skewMillis);
    this.election = new LeaderElection({
      client,
      clock: this.clock,
      monotonicMillis: () => this.clock.now(),
      logger: createSilentLogger(),
      random: () => 0,
      namespace: 'n',
      name: 'l',
      identity,
      ...more,
    });
    this.outcome = this.run();
  }

  run(): Promise<'lost' | 'ended'> {
    return this.election.run({
      signal: this.controller.signal,
      onStarted: (signal) => {
        this.terms += 1;
        this.work = signal;
      },
    });
  }

  get works(): boolean {
    return this.work !== undefined && !this.work.aborted;
  }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Turns every clock in steps that let what becomes due happen. */
async function turn(candidates: readonly Candidate[], millis: number): Promise<void> {
  for (let past = 0; past < millis; past += 250) {
    for (const { clock } of candidates) clock.advance(250);
    await settle();
  }
}

describe('LeaderElection', () => {
  it('makes the first candidate the leader, and the second when the first gives up', async () => {
    const server = new LeaseServer();
    const client = server.clientOver(atOnce);
    const metrics = createMetricsRegistry();
    const first = new Candidate(client, 'first', { metrics });
    await settle();
    const second = new Candidate(client, 'second');
    await turn([first, second], 30_000);
    expect([first.works, second.works]).toEqual([true, false]);
    expect([first.election.isLeader, second.election.isLeader]).toEqual([true, false]);
    expect(second.election.leader).toBe('first');
    expect(await metrics.metrics()).toContain('leader_election_master_status{name="l"} 1');
    first.controller.abort();
    expect(await first.outcome).toBe('ended');
    expect(first.works).toBe(false);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(await metrics.metrics()).toContain('leader_election_master_status{name="l"} 0');
    await turn([second], 2_000);
    expect(second.works).toBe(true);
    expect(server.lease?.spec).toMatchObject({
      holderIdentity: 'second',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
    });
    second.controller.abort();
    await second.outcome;
  });

  it('takes over from a dead leader after its lease, whatever the clocks say', async () => {
    const server = new LeaseServer();
    const client = server.clientOver(atOnce);
    const dead = new Candidate(client, 'dead');
    await settle();
    const other = new Candidate(client, 'other', {}, 1, -86_400_000);
    await turn([other], 14_750);
    expect(other.works).toBe(false);
    await turn([other], 2_500);
    expect(other.works).toBe(true);
    expect(server.lease?.spec.leaseTransitions).toBe(1);
    await turn([dead], 2_000);
    expect(await dead.outcome).toBe('lost');
    other.controller.abort();
    await other.outcome;
  });

  it('stops ten seconds after it last asked with success, and can lead again', async () => {
    const server = new LeaseServer();
    let isCut = false;
    const client = server.clientOver(async (act) => {
      if (isCut) throw new HostUnreachableError('cut');
      return act();
    });
    const only = new Candidate(client, 'only');
    await turn([only], 2_500);
    isCut = true;
    await turn([only], 9_500);
    expect(only.works).toBe(true);
    await turn([only], 1_000);
    expect([only.works, only.election.isLeader]).toEqual([false, false]);
    expect(await only.outcome).toBe('lost');
    isCut = false;
    const again = only.run();
    await settle();
    expect([only.works, only.terms]).toEqual([true, 2]);
    only.controller.abort();
    expect(await again).toBe('ended');
  });

  it('does not wait for a request that hangs', async () => {
    const server = new LeaseServer();
    let hangs = false;
    const hanging = Promise.withResolvers<void>();
    const client = server.clientOver(async (act) => {
      if (hangs) await hanging.promise;
      return act();
    });
    const only = new Candidate(client, 'only');
    await settle();
    hangs = true;
    await turn([only], 10_000);
    expect(only.works).toBe(false);
    expect(await only.outcome).toBe('lost');
    hanging.resolve();
    await settle();
    expect(only.election.isLeader).toBe(false);
  });

  it('gives the lease back when its work fails, and only after the work has ended', async () => {
    const server = new LeaseServer();
    const clock = new ManualClock();
    const order: string[] = [];
    const client = server.clientOver(async (act) => {
      order.push('request');
      return act();
    });
    const election = new LeaderElection({
      ...{ client, clock, monotonicMillis: () => clock.now(), logger: createSilentLogger() },
      ...{ namespace: 'n', name: 'l', identity: 'i' },
    });
    const controller = new AbortController();
    const failure = new Error('broken');
    const onStopped = () => order.push('stopped');
    const failing = election.run({ signal: controller.signal, onStopped, onStarted: () => Promise.reject(failure) });
    await expect(failing).rejects.toBe(failure);
    expect(server.lease?.spec.holderIdentity).toBe('');
    order.length = 0;
    const gate = Promise.withResolvers<void>();
    const run = election.run({ signal: controller.signal, onStopped, onStarted: () => gate.promise });
    await settle();
    order.length = 0;
    controller.abort();
    await settle();
    expect(order).toEqual([]);
    gate.resolve();
    expect(await run).toBe('ended');
    expect(order).toEqual(['request', 'request', 'stopped']);
  });

  it('never has two leaders, and has one again when the trouble ends', async () => {
    await fc.assert(fc.asyncProperty(fc.integer(), simulate), { numRuns: 25 });
  });
});

/** A reproducible source of chance. */
function makeRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Four candidates with clocks that are hours apart and run up to 15 % wrong, over a network that delays, loses requests and loses answers,
 * paused and killed at random. After each step at most one of those that run may believe that it leads.
 */
async function simulate(seed: number): Promise<void> {
  const random = makeRandom(seed);
  const world = new ManualClock();
  const server = new LeaseServer();
  let isTroubled = true;
  const wait = (millis: number): Promise<void> => new Promise((resolve) => world.schedule(millis, resolve));
  /** A link of one candidate: loses and delays at random, and now and then answers late and then nothing for long. */
  const makeLink = (): Deliver => {
    let silentUntilMillis = 0;
    return async (act) => {
      const isFading = isTroubled && random() < 0.04;
      await wait(random() * (isTroubled && random() < 0.1 ? 12_000 : 200));
      const isCut = isTroubled && world.now() < silentUntilMillis;
      if (isFading) silentUntilMillis = world.now() + 30_000;
      if (isCut || (isTroubled && random() < 0.1)) throw new HostUnreachableError('the request was lost');
      const result = act();
      await wait(isFading ? 4_000 + random() * 6_000 : random() * 200);
      if (isTroubled && !isFading && random() < 0.1) throw new HostUnreachableError('the answer was lost');
      return result;
    };
  };
  let born = 0;
  const bear = (): Candidate => {
    const rate = 0.85 + random() * 0.3;
    const candidate = new Candidate(
      server.clientOver(makeLink()),
      `c${born++}`,
      { random },
      rate,
      (random() - 0.5) * 1e8,
    );
    const again = (outcome: 'lost' | 'ended'): void => {
      if (outcome === 'lost') void candidate.run().then(again);
    };
    void candidate.outcome.then(again);
    return candidate;
  };
  let candidates = Array.from({ length: 4 }, bear);
  const pausedUntil = new Map<Candidate, number>();
  const debts = new Map<Candidate, number>();

  const step = async (): Promise<void> => {
    const millis = 50 + random() * 450;
    world.advance(millis);
    for (const candidate of candidates) {
      const owed = (debts.get(candidate) ?? 0) + millis * candidate.rate;
      const isPaused = (pausedUntil.get(candidate) ?? 0) > world.now();
      debts.set(candidate, isPaused ? owed : 0);
      if (!isPaused) candidate.clock.advance(owed);
    }
    await settle();
    const awake = candidates.filter((candidate) => (pausedUntil.get(candidate) ?? 0) <= world.now());
    expect(awake.filter(({ election }) => election.isLeader).length).toBeLessThanOrEqual(1);
    expect(awake.filter(({ works }) => works).length).toBeLessThanOrEqual(1);
  };

  for (const endMillis = world.now() + 180_000; world.now() < endMillis;) {
    const chosen = candidates[Math.floor(random() * candidates.length)];
    if (chosen !== undefined && random() < 0.01) pausedUntil.set(chosen, world.now() + random() * 30_000);
    if (chosen !== undefined && random() < 0.01) {
      candidates = [...candidates.filter((candidate) => candidate !== chosen), bear()];
    }
    if (chosen !== undefined && random() < 0.003) {
      chosen.controller.abort();
      candidates = [...candidates.filter((candidate) => candidate !== chosen), bear()];
    }
    await step();
  }
  isTroubled = false;
  for (const endMillis = world.now() + 90_000; world.now() < endMillis;) await step();
  expect(candidates.filter(({ works }) => works).length).toBe(1);
}
