import type { X509Certificate } from 'node:crypto';

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import type { CallerTrust } from './caller-trust.ts';
import type { ServedFacts } from './certificate-facts.ts';
import { makeCertificate } from './make-certificate.ts';
import type { KeyedCertificate } from './make-certificate.ts';
import { observeTrust } from './observe-trust.ts';
import { planAdoption } from './plan-adoption.ts';
import { planOverlap } from './plan-overlap.ts';
import type { OverlapPlan } from './plan-overlap.ts';
import { readCertificates } from './read-certificate.ts';

const hourMillis = 3_600_000;
const startMillis = Date.UTC(2026, 0, 1);
const adoptMillis = 3_000;
const settleMillis = 30_000;
const period = { notBeforeMillis: startMillis - hourMillis, notAfterMillis: startMillis + 1_000 * hourMillis };

/** What a Secret holds after one write of somebody else. */
interface Issued {
  readonly authority: X509Certificate;
  readonly leaf: X509Certificate;
  readonly serving: { readonly certificate: string; readonly notAfterMillis: number };
}

/** Three authorities, and three certificates of each. */
const issued: Issued[][] = [];

beforeAll(async () => {
  for (const commonName of ['first', 'second', 'third']) {
    const authority: KeyedCertificate = await makeCertificate({ commonName, purpose: 'authority', ...period });
    const made = await Promise.all(
      [1, 2, 3].map(() => makeCertificate({ commonName: 'webhooks', purpose: 'server', ...period }, authority)),
    );
    const [anchor] = readCertificates(authority.certificate);
    issued.push(
      made.map(({ certificate }) => ({
        authority: anchor as X509Certificate,
        leaf: readCertificates(certificate)[0] as X509Certificate,
        serving: { certificate, notAfterMillis: period.notAfterMillis },
      })),
    );
  }
});

function pick(authority: number, leaf = 0): Issued {
  const one = issued[authority]?.[leaf];
  if (one === undefined) throw new Error('no such certificate');
  return one;
}

function trust(bundle: readonly Issued[], sinceMillis = Number.NEGATIVE_INFINITY): CallerTrust {
  const authorities = bundle.map((one) => one.authority);
  return {
    bundles: [authorities],
    trustedSinceMillis: observeTrust(new Map(), authorities, [authorities], sinceMillis),
  };
}

describe('planOverlap', () => {
  type Row = [
    string,
    { callers: () => CallerTrust; offeredSinceMillis?: number; served?: () => ServedFacts[] },
    number,
  ];
  const now = startMillis;

  it.for<Row>([
    ['nobody calls', { callers: () => ({ bundles: [], trustedSinceMillis: new Map() }) }, 1],
    ['callers trust nothing else', { callers: () => trust([pick(1)]) }, 1],
    ['callers do not trust the new one yet', { callers: () => trust([pick(0)]) }, 2],
    ['callers trust the new one since a moment', { callers: () => trust([pick(0), pick(1)], now - 1_000) }, 2],
    ['callers trust both for long', { callers: () => trust([pick(0), pick(1)], now - settleMillis) }, 1],
    ['it was offered a moment ago', { callers: () => trust([pick(0), pick(1)]), offeredSinceMillis: now - 1_000 }, 2],
    [
      'a replica serves what the one before signed',
      { callers: () => trust([pick(0), pick(1)]), served: () => [{ certificate: pick(0).leaf }] },
      2,
    ],
    ['a replica cannot be asked', { callers: () => trust([pick(0), pick(1)]), served: () => [{}] }, 2],
    [
      'replicas serve what the new one signed',
      { callers: () => trust([pick(0), pick(1)]), served: () => [{ certificate: pick(1, 2).leaf }] },
      1,
    ],
  ])('when %s', ([, { callers, offeredSinceMillis = now - hourMillis, served = () => [] }, count]) => {
    const { authority, leaf } = pick(1);
    const plan = planOverlap({
      ...{ nowMillis: now, chain: [leaf], offered: [authority], offeredSinceMillis, settleMillis },
      ...{ callers: callers(), served: served() },
    });
    expect(plan.bundle.length).toBe(count);
    expect(plan.bundle[0]).toBe(authority);
    expect(plan.isOverlapping).toBe(count > 1);
  });

  it('lets go of an authority that has ended', () => {
    const { authority, leaf } = pick(1);
    const facts = { chain: [leaf], offered: [authority], settleMillis, callers: trust([pick(0)]), served: [{}] };
    const plan = planOverlap({ ...facts, nowMillis: now, offeredSinceMillis: now });
    expect(plan.againAtMillis).toBe(period.notAfterMillis);
    const later = planOverlap({ ...facts, nowMillis: period.notAfterMillis, offeredSinceMillis: now });
    expect(later).toEqual({ bundle: [authority], isOverlapping: false });
  });
});

interface Replica {
  offered: Issued;
  current: Issued;
  callers: CallerTrust;
  /** Only a replica whose certificate callers trust is called. */
  isCalled: boolean;
}

/** A Secret that somebody else writes, the host's API servers, a leader and two replicas, each behind the others by less than they wait. */
class World {
  nowMillis = startMillis;
  secret = pick(0);
  registered: readonly X509Certificate[] = [pick(0).authority];
  readonly hosts: (readonly X509Certificate[])[] = [this.registered, this.registered];
  readonly replicas: Replica[] = [0, 1].map(() => ({
    ...{ offered: pick(0), current: pick(0), callers: trust([pick(0)]), isCalled: true },
  }));
  readonly hidden = new Set<number>();
  #leader = this.#elect();

  #elect(): { offered: Issued; offeredSinceMillis: number; callers: CallerTrust } {
    const authorities = this.registered;
    const trustedSinceMillis = observeTrust(new Map(), authorities, [authorities], Number.NEGATIVE_INFINITY);
    const callers = { bundles: [authorities], trustedSinceMillis };
    return { offered: this.secret, offeredSinceMillis: this.nowMillis, callers };
  }

  /** Another leader knows only what is stored. */
  elect(): void {
    this.#leader = this.#elect();
  }

  #observe({ trustedSinceMillis }: CallerTrust): CallerTrust {
    const bundles = [this.registered];
    return { bundles, trustedSinceMillis: observeTrust(trustedSinceMillis, this.registered, bundles, this.nowMillis) };
  }

  lead(): OverlapPlan {
    const leader = this.#leader;
    if (leader.offered !== this.secret) {
      leader.offered = this.secret;
      leader.offeredSinceMillis = this.nowMillis;
    }
    leader.callers = this.#observe(leader.callers);
    const plan = planOverlap({
      ...{ nowMillis: this.nowMillis, settleMillis, callers: leader.callers },
      ...{ chain: [this.secret.leaf], offered: [this.secret.authority], offeredSinceMillis: leader.offeredSinceMillis },
      served: this.replicas.map((one, index) => (this.hidden.has(index) ? {} : { certificate: one.current.leaf })),
    });
    this.registered = plan.bundle;
    leader.callers = this.#observe(leader.callers);
    return plan;
  }

  /** The replica hears of everything that is stored. */
  tell(index: number): void {
    const replica = this.replicas[index] as Replica;
    replica.offered = this.secret;
    replica.callers = this.#observe(replica.callers);
    this.wake(index);
  }

  /** The replica serves what its plan says, by what it has heard. */
  wake(index: number): void {
    const replica = this.replicas[index] as Replica;
    if (replica.current !== replica.offered) {
      const adoptAtMillis = planAdoption({
        ...{ current: replica.current.serving, offered: replica.offered.serving, callers: replica.callers },
        ...{ nowMillis: this.nowMillis, settleMillis: adoptMillis },
      });
      if (adoptAtMillis <= this.nowMillis) replica.current = replica.offered;
    }
    replica.isCalled ||= this.hosts.every((host) => this.#isTrusted(replica, host));
  }

  restart(index: number): void {
    const bundles = [this.registered];
    const callers = { bundles, trustedSinceMillis: observeTrust(new Map(), this.registered, bundles, -Infinity) };
    this.replicas[index] = { offered: this.secret, current: this.secret, callers, isCalled: false };
    this.wake(index);
  }

  #isTrusted({ current }: Replica, host: readonly X509Certificate[]): boolean {
    return host.includes(current.authority);
  }

  check(): void {
    for (const host of this.hosts) {
      for (const replica of this.replicas) expect(!replica.isCalled || this.#isTrusted(replica, host)).toBe(true);
    }
  }

  /** Lets time pass in steps that are shorter than what anybody waits for. */
  pass(millis: number, isLed: boolean): void {
    const endMillis = this.nowMillis + millis;
    while (this.nowMillis < endMillis) {
      this.nowMillis = Math.min(endMillis, this.nowMillis + adoptMillis - 1);
      for (const index of this.replicas.keys()) this.wake(index);
      this.check();
      for (const index of this.hosts.keys()) this.hosts[index] = this.registered;
      for (const index of this.replicas.keys()) this.tell(index);
      this.check();
      if (isLed) this.lead();
    }
  }
}

type Move =
  | { readonly kind: 'write'; readonly authority: number; readonly leaf: number }
  | { readonly kind: 'host' | 'tell' | 'restart' | 'hide'; readonly index: number }
  | { readonly kind: 'pass' | 'pass-without-leader'; readonly millis: number }
  | { readonly kind: 'lead' | 'elect' };

const index = fc.nat({ max: 1 });
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), authority: fc.nat({ max: 2 }), leaf: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constantFrom('host' as const, 'tell' as const, 'restart' as const, 'hide' as const), index }),
  fc.record({
    kind: fc.constantFrom('pass' as const, 'pass-without-leader' as const),
    millis: fc.nat({ max: 2 * settleMillis }),
  }),
  fc.record({ kind: fc.constantFrom('lead' as const, 'elect' as const) }),
);

function makeMove(world: World, move: Move): void {
  if (move.kind === 'write') world.secret = pick(move.authority, move.leaf);
  else if (move.kind === 'host') world.hosts[move.index] = world.registered;
  else if (move.kind === 'tell') world.tell(move.index);
  else if (move.kind === 'restart') world.restart(move.index);
  else if (move.kind === 'hide') {
    if (!world.hidden.delete(move.index)) world.hidden.add(move.index);
  } else if (move.kind === 'pass') world.pass(move.millis, true);
  else if (move.kind === 'pass-without-leader') world.pass(move.millis, false);
  else if (move.kind === 'lead') world.lead();
  else world.elect();
  world.check();
}

describe('planOverlap and planAdoption, whatever happens', () => {
  it('never let a replica that is called serve what an API server does not trust', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const world = new World();
        for (const one of moves) makeMove(world, one);
        // In quiet times only the authority of the Secret is trusted, and everybody serves its certificate.
        world.hidden.clear();
        world.pass(3 * settleMillis, true);
        expect(world.registered.map((one) => one.fingerprint256)).toEqual([world.secret.authority.fingerprint256]);
        for (const replica of world.replicas) expect(replica.current).toBe(world.secret);
        expect(world.replicas.every((replica) => replica.isCalled)).toBe(true);
      }),
      { numRuns: process.env['BAILIWICK_SOAK'] === undefined ? 50 : 2_000 },
    );
  });
});
