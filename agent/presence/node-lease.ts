import { Counter, Gauge } from 'prom-client';
import { hasReason } from '../../core/errors/status.ts';
import type { OwnerReference } from '../../core/meta/kube-object.ts';
import type { Lease } from '../../platform/kube/lease.ts';
import { sleep, type Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { planLease, type LeaseIdentity } from './plan-lease.ts';
import { raceAbort } from './race-abort.ts';

/** What a Lease is kept with. */
export interface NodeLeaseOptions {
  /** Its requests should time out within the time between two renewals. */
  readonly client: ResourceClient;
  readonly identity: Omit<LeaseIdentity, 'annotations'>;
  /** Asked for every renewal. */
  readonly readAnnotations: () => LeaseIdentity['annotations'];
  /** Asked while the Lease has no owner; `undefined` while that is not known. May throw. */
  readonly findOwner: () => Promise<OwnerReference | undefined>;
  /** Whether a Lease without an owner is not made at all. */
  readonly needsOwner: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Registry;
  /** From 0 to 1, for the jitter between renewals; absent means the machine's. */
  readonly random?: () => number;
}

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
/** Renewed four times while it lasts. */
const renewalsPerDuration = 4;
const jitterFactor = 0.04;
/** While the Lease waits for its owner. */
const absentMillis = 1_000;
const maxUpdates = 5;
const minBackoffMillis = 200;
const maxBackoffMillis = 7_000;

/** The Lease by which others see that an agent lives, kept as the kubelet keeps its own. */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  readonly #renewals: Counter | undefined;
  readonly #renewed: Gauge | undefined;
  #latest: Lease | undefined;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    const { metrics } = options;
    if (metrics === undefined) return;
    this.#renewals = new Counter({
      name: 'bailiwick_agent_lease_renewals_total',
      help: 'Renewals of the Lease of the agent, by whether they succeeded.',
      labelNames: ['result'],
      registers: [metrics],
    });
    this.#renewed = new Gauge({
      name: 'bailiwick_agent_lease_renewed_timestamp_seconds',
      help: 'When the Lease of the agent was last renewed.',
      registers: [metrics],
    });
  }

  /** Makes and renews the Lease until the signal aborts. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, identity, logger, random = Math.random } = this.#options;
    const intervalMillis = (identity.durationSeconds * 1000) / renewalsPerDuration;
    while (!signal.aborted) {
      try {
        await this.#renew(signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ lease: identity.name, err: error }, 'the lease could not be renewed');
      }
      const pauseMillis = this.#latest === undefined ? Math.min(intervalMillis, absentMillis) : intervalMillis;
      await sleep(clock, pauseMillis * (1 + jitterFactor * random()), signal);
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    if (this.#latest !== undefined && (await this.#update(this.#latest, signal))) return;
    const { lease, isNew } = await this.#ensure(signal);
    this.#latest = lease;
    if (lease !== undefined && !isNew) await this.#update(lease, signal);
  }

  /** Writes the Lease over what it was; tries again at once, a few times. Resolves to whether that succeeded. */
  async #update(base: Lease, signal: AbortSignal): Promise<boolean> {
    const { identity, logger } = this.#options;
    let from: Lease | undefined = base;
    for (let tries = 0; tries < maxUpdates && from !== undefined; tries += 1) {
      try {
        this.#latest = await raceAbort(this.#writeOver(from), signal);
        this.#countRenewal(true);
        return true;
      } catch (error) {
        if (signal.aborted) throw error;
        this.#countRenewal(false);
        logger.warn({ lease: identity.name, err: error }, 'the lease could not be updated');
        if (hasReason(error, 'NotFound')) return false;
        if (hasReason(error, 'Conflict')) from = (await this.#ensure(signal)).lease;
      }
    }
    return false;
  }

  async #writeOver(base: Lease): Promise<Lease> {
    const { client, identity } = this.#options;
    const { namespace, name } = identity;
    return client.update<Lease>({ resource: leases, namespace, name }, await this.#compose(base));
  }

  /** The Lease as it is, made when there is none; waits longer and longer until that succeeds. `undefined` while it may not be made. */
  async #ensure(signal: AbortSignal): Promise<{ lease: Lease | undefined; isNew: boolean }> {
    const { clock, identity, logger } = this.#options;
    for (let waitMillis = minBackoffMillis; ; waitMillis = Math.min(2 * waitMillis, maxBackoffMillis)) {
      try {
        return await raceAbort(this.#getOrCreate(), signal);
      } catch (error) {
        if (signal.aborted) throw error;
        this.#countRenewal(false);
        logger.warn({ lease: identity.name, waitMillis, err: error }, 'the lease could not be read or made');
        await sleep(clock, waitMillis, signal);
      }
    }
  }

  async #getOrCreate(): Promise<{ lease: Lease | undefined; isNew: boolean }> {
    const { client, identity, needsOwner } = this.#options;
    const { namespace, name } = identity;
    try {
      return { lease: await client.get<Lease>({ resource: leases, namespace, name }), isNew: false };
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
    const lease = await this.#compose(undefined);
    if (needsOwner && lease.metadata.ownerReferences === undefined) return { lease: undefined, isNew: false };
    const made = await client.create<Lease>({ resource: leases, namespace }, lease);
    this.#countRenewal(true);
    return { lease: made, isNew: true };
  }

  async #compose(base: Lease | undefined): Promise<Lease> {
    const { clock, findOwner, identity, logger, readAnnotations } = this.#options;
    const hasOwner = (base?.metadata.ownerReferences ?? []).length > 0;
    const owner = hasOwner
      ? undefined
      : await findOwner().catch((error: unknown) => {
          logger.debug({ lease: identity.name, err: error }, 'the owner of the lease is not known');
          return undefined;
        });
    return planLease({ ...identity, annotations: readAnnotations() }, base, owner, clock.now());
  }

  #countRenewal(isSuccess: boolean): void {
    this.#renewals?.inc({ result: isSuccess ? 'success' : 'failure' });
    if (isSuccess) this.#renewed?.set(this.#options.clock.now() / 1000);
  }
}
