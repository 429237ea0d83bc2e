import { X509Certificate } from 'node:crypto';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Authority, CertificateFacts, CertificateStep, ServedFacts, ServingFacts } from './certificate-facts.ts';
import { makeCertificate } from './make-certificate.ts';
import { observeTrust } from './observe-trust.ts';
import { planCertificates } from './plan-certificates.ts';
import { findTrustAnchor } from './read-certificate.ts';

const hourMillis = 3_600_000;
const settleMillis = 10 * 60_000;
const settings = { authorityValidityMillis: 60 * hourMillis, servingValidityMillis: 20 * hourMillis, settleMillis };
const startMillis = Date.UTC(2026, 0, 1);
const secrets = ['webhooks-tls', 'operator-tls'] as const;
const subjectNames = ['webhooks.system.svc'];

type Secrets = Map<string, { chain?: X509Certificate[]; bundle: X509Certificate[] }>;

/** What a step needs made, and what is stored once it is done. */
async function makeStep(
  step: CertificateStep,
  stored: { authorities: Authority[]; secrets: Secrets },
): Promise<typeof stored> {
  const next = { authorities: stored.authorities, secrets: new Map(stored.secrets) };
  if (step.action === 'introduce-authority') {
    const made = await makeCertificate({ commonName: 'authority', purpose: 'authority', ...step.validity });
    const certificate = new X509Certificate(made.certificate);
    next.authorities = [...step.keep, { certificate, privateKey: made.privateKey }];
  } else if (step.action === 'write-authorities') {
    next.authorities = [...step.authorities];
  } else if (step.action === 'issue') {
    const signer = {
      certificate: step.signer.certificate.toString(),
      privateKey: step.signer.privateKey ?? '',
    };
    const made = await makeCertificate(
      { commonName: step.secret, purpose: 'server', subjectNames: step.subjectNames, ...step.validity },
      signer,
    );
    next.secrets.set(step.secret, { chain: [new X509Certificate(made.certificate)], bundle: [...step.bundle] });
  } else {
    const { chain } = stored.secrets.get(step.secret) ?? {};
    next.secrets.set(step.secret, { ...(chain === undefined ? {} : { chain }), bundle: [...step.bundle] });
  }
  return next;
}

/** An installation on a host, as far as certificates go: everything that lags behind something else does so here. */
class World {
  nowMillis = startMillis;
  stored: { authorities: Authority[]; secrets: Secrets } = { authorities: [], secrets: new Map() };
  isRotationAsked = false;
  /** What the leader remembers. */
  trustedSinceMillis = new Map<string, number>();
  /** What the webhook configurations say, and what each API server goes by. */
  registered: X509Certificate[] | undefined;
  registeredMillis = startMillis;
  hosts: (X509Certificate[] | undefined)[] = [undefined, undefined];
  replicas: (X509Certificate[] | undefined)[] = [undefined, undefined];
  /** Which replicas the leader cannot ask. */
  hidden = new Set<number>();
  steps: CertificateStep[] = [];
  serials = new Set<string>();
  mostAuthorities = 0;

  gather(): CertificateFacts {
    const { nowMillis, isRotationAsked } = this;
    const { authorities } = this.stored;
    const serving = secrets.map((secret): ServingFacts => {
      const { chain, bundle = [] } = this.stored.secrets.get(secret) ?? {};
      return { secret, subjectNames, bundle, ...(chain === undefined ? {} : { chain }) };
    });
    this.trustedSinceMillis = observeTrust(
      this.trustedSinceMillis,
      authorities.map((one) => one.certificate),
      [...serving.map((one) => one.bundle), ...(this.registered === undefined ? [] : [this.registered])],
      nowMillis,
    );
    const served = this.replicas
      .map((chain, index): ServedFacts | undefined =>
        chain === undefined ? undefined : this.hidden.has(index) ? {} : { ...(chain[0] && { certificate: chain[0] }) },
      )
      .filter((one) => one !== undefined);
    const { trustedSinceMillis } = this;
    return { nowMillis, settings, authorities, isRotationAsked, serving, trustedSinceMillis, served };
  }

  /** Reconciles as the leader does; ends after `limit` steps, as if it crashed there. */
  async reconcile(limit = 50): Promise<void> {
    for (let count = 0; count < limit; count += 1) {
      const { step } = planCertificates(this.gather());
      if (step === undefined) return;
      this.steps.push(step);
      this.stored = await makeStep(step, this.stored);
      if (step.action === 'introduce-authority') this.isRotationAsked = false;
      this.check();
    }
    if (limit === 50) throw new Error('the plan does not come to rest');
  }

  register(): void {
    const { chain, bundle } = this.stored.secrets.get(secrets[0]) ?? {};
    if (chain === undefined || bundle === undefined) return;
    this.registered = bundle;
    this.registeredMillis = this.nowMillis;
  }

  syncHost(index: number): void {
    this.hosts[index] = this.registered;
  }

  syncReplica(index: number): void {
    const { chain } = this.stored.secrets.get(secrets[0]) ?? {};
    if (chain !== undefined) this.replicas[index] = chain;
  }

  /** Throws when an API server would refuse a replica's certificate. */
  check(): void {
    this.mostAuthorities = Math.max(this.mostAuthorities, this.stored.authorities.length);
    for (const chain of this.replicas) {
      if (chain === undefined) continue;
      this.serials.add(chain[0]?.serialNumber ?? '');
      for (const host of this.hosts) {
        if (host !== undefined && findTrustAnchor(chain, host, this.nowMillis) === undefined) {
          throw new Error(`an API server refuses a certificate at ${(this.nowMillis - startMillis) / hourMillis} h`);
        }
      }
    }
  }

  /** Lets time pass in which everything that lags catches up. */
  async settle(millis: number): Promise<void> {
    this.nowMillis += millis;
    await this.reconcile();
    this.register();
    for (const index of this.hosts.keys()) this.syncHost(index);
    for (const index of this.replicas.keys()) this.syncReplica(index);
    this.check();
  }
}

async function startWorld(): Promise<World> {
  const world = new World();
  for (let count = 0; count < 3; count += 1) await world.settle(1_000);
  world.steps = [];
  return world;
}

function listActions(world: World): string[] {
  return world.steps.map((step) => ('secret' in step ? `${step.action} ${step.secret}` : step.action));
}

describe('planCertificates', () => {
  it('makes an authority and certificates where there is nothing', async () => {
    const world = new World();
    await world.reconcile();
    expect(listActions(world)).toEqual(['introduce-authority', 'issue webhooks-tls', 'issue operator-tls']);
  });

  it('does nothing while all is well, and says when it will', async () => {
    const world = await startWorld();
    await world.settle(5 * hourMillis);
    expect(listActions(world)).toEqual([]);
    const { againAtMillis } = planCertificates(world.gather());
    expect(againAtMillis - world.nowMillis).toBeGreaterThan(0);
    expect(againAtMillis - world.nowMillis).toBeLessThanOrEqual(hourMillis);
  });

  it('renews a certificate when a third of its life is left', async () => {
    const world = await startWorld();
    await world.settle(13 * hourMillis);
    expect(listActions(world)).toEqual([]);
    await world.settle(hourMillis / 2);
    expect(listActions(world)).toEqual(['issue webhooks-tls', 'issue operator-tls']);
  });

  it('brings a new authority into every bundle, lets it settle, signs with it, and gives the old one up', async () => {
    const world = await startWorld();
    world.isRotationAsked = true;
    await world.settle(1_000);
    expect(listActions(world)).toEqual([
      'introduce-authority',
      'publish-bundle webhooks-tls',
      'publish-bundle operator-tls',
    ]);
    await world.settle(1_000);
    await world.settle(settleMillis - 2_000);
    expect(world.steps.length).toBe(3);
    await world.settle(2_000);
    expect(listActions(world).slice(3)).toEqual(['issue webhooks-tls', 'issue operator-tls', 'write-authorities']);
    expect(world.stored.authorities.map((one) => one.privateKey !== undefined)).toEqual([false, true]);
    await world.settle(1_000);
    await world.settle(settleMillis);
    expect(listActions(world).slice(6)).toEqual([
      'write-authorities',
      'publish-bundle webhooks-tls',
      'publish-bundle operator-tls',
    ]);
    expect(world.stored.authorities.length).toBe(1);
    expect(world.registered?.length).toBe(1);
  });

  it('does not sign with an authority that a webhook configuration does not have', async () => {
    const world = await startWorld();
    world.isRotationAsked = true;
    for (let count = 0; count < 12; count += 1) {
      world.nowMillis += hourMillis / 2;
      await world.reconcile();
      for (const index of world.replicas.keys()) world.syncReplica(index);
    }
    expect(listActions(world)).not.toContain('issue webhooks-tls');
    world.check();
  });

  it('keeps an authority while a replica serves what it signed, or cannot be asked', async () => {
    const world = await startWorld();
    world.isRotationAsked = true;
    await world.settle(1_000);
    await world.settle(1_000);
    world.nowMillis += settleMillis;
    await world.reconcile();
    world.syncReplica(0);
    for (let count = 0; count < 5; count += 1) {
      world.nowMillis += settleMillis;
      await world.reconcile();
    }
    expect(world.stored.authorities.length).toBe(2);
    world.syncReplica(1);
    world.hidden.add(0);
    await world.reconcile();
    expect(world.stored.authorities.length).toBe(2);
    world.hidden.clear();
    await world.reconcile();
    expect(world.stored.authorities.length).toBe(1);
  });

  it('begins one rotation only when the one before is through', async () => {
    const world = await startWorld();
    world.isRotationAsked = true;
    await world.settle(1_000);
    world.isRotationAsked = true;
    for (let count = 0; count < 40; count += 1) {
      await world.settle(settleMillis / 4);
      expect(world.stored.authorities.length).toBeLessThanOrEqual(3);
    }
    expect(world.stored.authorities.length).toBe(1);
    expect(world.steps.filter((step) => step.action === 'introduce-authority').length).toBe(2);
  });

  it('makes up for a lost authority without a certificate that nobody trusts', async () => {
    const world = await startWorld();
    world.stored = { ...world.stored, authorities: [] };
    for (let count = 0; count < 12; count += 1) await world.settle(settleMillis / 4);
    expect(world.stored.authorities.length).toBe(1);
    expect(world.serials.size).toBe(2);
  });

  it('makes a Secret anew that was deleted or damaged, signed by who is trusted', async () => {
    const world = await startWorld();
    world.stored.secrets.delete(secrets[0]);
    await world.settle(1_000);
    world.stored.secrets.set(secrets[0], { bundle: [] });
    await world.settle(1_000);
    expect(listActions(world)).toEqual(['issue webhooks-tls', 'issue webhooks-tls']);
  });

  it('issues anew when a name is missing', async () => {
    const world = await startWorld();
    const facts = world.gather();
    const serving = facts.serving.map((one) => ({ ...one, subjectNames: [...subjectNames, '10.0.0.1'] }));
    expect(planCertificates({ ...facts, serving }).step).toMatchObject({ action: 'issue', secret: secrets[0] });
  });
});

type Move =
  | { readonly kind: 'wait'; readonly millis: number }
  | { readonly kind: 'crash'; readonly steps: number }
  | { readonly kind: 'rotate' | 'register' | 'lose-authority' | 'delete-secret' | 'damage-secret' }
  | { readonly kind: 'host' | 'replica' | 'hide' | 'restart'; readonly index: number };

const index = fc.nat({ max: 1 });
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('wait' as const), millis: fc.nat({ max: 2 * hourMillis }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), millis: fc.nat({ max: settleMillis }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('crash' as const), steps: fc.nat({ max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('rotate' as const, 'register' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('lose-authority' as const, 'delete-secret' as const, 'damage-secret' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('host' as const, 'replica' as const, 'hide' as const, 'restart' as const),
      index,
    }),
  },
);

/** Lets time pass; hosts and replicas fall behind by less than the settle time, and the leader looks when it said that it would. */
async function passTime(world: World, millis: number): Promise<void> {
  const endMillis = world.nowMillis + millis;
  while (world.nowMillis < endMillis) {
    const { againAtMillis } = planCertificates(world.gather());
    const left = Math.min(endMillis, againAtMillis) - world.nowMillis;
    const stepMillis = Math.min(left, settleMillis - 1_000);
    world.nowMillis += stepMillis;
    world.check();
    if (stepMillis < settleMillis / 2) continue;
    for (const one of world.hosts.keys()) world.syncHost(one);
    for (const one of world.replicas.keys()) world.syncReplica(one);
    world.check();
    await world.reconcile();
    if (world.nowMillis - world.registeredMillis > 2 * hourMillis) world.register();
  }
}

async function makeMove(world: World, move: Move): Promise<void> {
  // Two disasters at once, the authority and what it signed, cannot be made up for.
  const isVouchedFor = world.stored.authorities.some(
    (one) =>
      one.privateKey !== undefined &&
      world.trustedSinceMillis.has(one.certificate.fingerprint256) &&
      world.hosts.every(
        (host) => host === undefined || host.some((other) => other.fingerprint256 === one.certificate.fingerprint256),
      ),
  );
  if (move.kind === 'wait') await passTime(world, move.millis);
  else if (move.kind === 'crash') {
    await world.reconcile(move.steps);
    world.trustedSinceMillis.clear();
  } else if (move.kind === 'rotate') world.isRotationAsked = true;
  else if (move.kind === 'register') world.register();
  else if (move.kind === 'host') world.syncHost(move.index);
  else if (move.kind === 'replica') world.syncReplica(move.index);
  else if (move.kind === 'hide') {
    if (!world.hidden.delete(move.index)) world.hidden.add(move.index);
  } else if (move.kind === 'restart') {
    world.replicas[move.index] = undefined;
    world.syncReplica(move.index);
  } else if (move.kind === 'lose-authority') {
    if (secrets.every((secret) => world.stored.secrets.get(secret)?.chain !== undefined)) {
      world.stored = { ...world.stored, authorities: [] };
    }
  } else if (isVouchedFor) {
    if (move.kind === 'delete-secret') world.stored.secrets.delete(secrets[0]);
    else world.stored.secrets.set(secrets[0], { bundle: [] });
  }
  world.check();
}

describe('planCertificates, whatever happens', () => {
  it('never lets a replica serve what an API server does not trust', { timeout: 240_000 }, async () => {
    const rounds = process.env['BAILIWICK_SOAK'] === undefined ? 40 : 1_000;
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 60 }), async (moves) => {
        const world = await startWorld();
        for (const one of moves) await makeMove(world, one);
        // In quiet times one authority is left, and it signs.
        world.hidden.clear();
        for (let count = 0; count < 30; count += 1) await world.settle(settleMillis / 2);
        expect(world.stored.authorities.length).toBe(1);
      }),
      { numRuns: rounds },
    );
  });
});
