import { Gauge } from 'prom-client';
import { hasReason } from '../../core/errors/status.ts';
import { formatMicroTime } from '../../core/time/time.ts';
import { sleep } from '../process/clock.ts';
import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import type { Registry } from '../process/metrics.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import type { Lease, LeaseSpec } from './lease.ts';

/** Which Lease is the prize, who runs for it, and how patiently. */
export interface LeaderElectionOptions {
  /** Its requests should time out well before `renewDeadlineMillis`, or one that hangs costs the leadership. */
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Registry;
  readonly namespace: string;
  readonly name: string;
  /** Different for every process. */
  readonly identity: string;
  /** How long others wait for a leader that is silent; absent means 15 s. */
  readonly leaseDurationMillis?: number;
  /** How long after its last renewal a leader gives up, below the former; absent means 10 s. */
  readonly renewDeadlineMillis?: number;
  /** Absent means 2 s. */
  readonly retryPeriodMillis?: number;
  /** From 0 to 1, for the jitter between tries; absent means the machine's. */
  readonly random?: () => number;
  /** A time that no one sets back or forward; absent means the machine's. */
  readonly monotonicMillis?: () => number;
}

/** What leading means. */
export interface LeaderCallbacks {
  /** Called once leadership is won; `signal` aborts when it ends for whatever reason. May settle before or after; a throw ends the leadership. */
  readonly onStarted: (signal: AbortSignal) => Promise<void> | void;
  /** Called after leadership has ended and `onStarted` has settled. */
  readonly onStopped?: () => void;
  /** Ends the candidacy, and gives the Lease back. */
  readonly signal: AbortSignal;
}

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const jitterFactor = 1.2;

/** A time of leading; `renewedMillis` is when the last successful renewal was asked for. */
interface Term {
  renewedMillis: number;
}

/**
 * Election of one leader by a Lease, in client-go's manner and beside its candidates. Nobody trusts another's clock: a Lease is free when
 * it has not changed for its duration by one's own. A leader counts from when it asked for a renewal, not from when it heard of it, so
 * that it has stopped before anyone can have taken over.
 */
export class LeaderElection {
  readonly #options: Required<Omit<LeaderElectionOptions, 'metrics'>>;
  readonly #status: Gauge | undefined;
  #observed: Lease | undefined;
  #observedMillis = 0;
  #term: Term | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ metrics, ...options }: LeaderElectionOptions) {
    this.#options = {
      leaseDurationMillis: 15_000,
      renewDeadlineMillis: 10_000,
      retryPeriodMillis: 2_000,
      random: Math.random,
      monotonicMillis: () => performance.now(),
      ...options,
    };
    const { leaseDurationMillis, renewDeadlineMillis, retryPeriodMillis } = this.#options;
    if (leaseDurationMillis <= renewDeadlineMillis || renewDeadlineMillis <= jitterFactor * retryPeriodMillis) {
      throw new RangeError(
        'a lease must last longer than its renewal may take, and that longer than the time between tries',
      );
    }
    if (metrics !== undefined) this.#status = findStatusGauge(metrics);
    this.#status?.set({ name: options.name }, 0);
  }

  /** Whether this process leads at this moment, by the clock, however late timers are. */
  get isLeader(): boolean {
    const { monotonicMillis, renewDeadlineMillis } = this.#options;
    return this.#term !== undefined && monotonicMillis() < this.#term.renewedMillis + renewDeadlineMillis;
  }

  /** Identity of the leader as it was last seen; `undefined` when there was none. */
  get leader(): string | undefined {
    return this.#observed?.spec.holderIdentity || undefined;
  }

  /**
   * Waits for leadership, and leads until that is lost or the signal aborts. Resolves to `lost` (run again, or exit) or to `ended`
   * (asked to; the Lease is given back). Rejects with what `onStarted` threw, after giving it back.
   */
  async run(callbacks: LeaderCallbacks): Promise<'lost' | 'ended'> {
    const { clock, random, retryPeriodMillis } = this.#options;
    const { signal } = callbacks;
    let term: Term | undefined;
    while (!signal.aborted) {
      term = await this.#try();
      if (term !== undefined) break;
      await sleep(clock, retryPeriodMillis * (1 + random() * jitterFactor), signal);
    }
    return term === undefined ? 'ended' : this.#lead(term, callbacks);
  }

  async #lead(term: Term, { onStarted, onStopped, signal }: LeaderCallbacks): Promise<'lost' | 'ended'> {
    const { logger, name } = this.#options;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    this.#term = term;
    this.#status?.set({ name }, 1);
    logger.info({ lease: name }, 'became the leader');
    let failure: { error: unknown } | undefined;
    const work = Promise.resolve()
      .then(() => onStarted(controller.signal))
      .catch((error: unknown) => {
        failure = { error };
        stop();
      });
    await this.#keepRenewing(term, controller);
    const isLost = !signal.aborted && failure === undefined;
    signal.removeEventListener('abort', stop);
    this.#term = undefined;
    this.#status?.set({ name }, 0);
    if (isLost) logger.error({ lease: name }, 'lost the leadership: the lease could not be renewed in time');
    else logger.info({ lease: name }, 'gives up the leadership');
    await work;
    // Not before the work has ended: the next leader may begin at once.
    if (!isLost) await this.#release();
    onStopped?.();
    if (failure !== undefined) throw failure.error;
    return isLost ? 'lost' : 'ended';
  }

  /** Renews until the deadline passes, another holds the Lease, or the controller aborts; aborts it in the end. */
  async #keepRenewing(term: Term, controller: AbortController): Promise<void> {
    const { clock, monotonicMillis, renewDeadlineMillis, retryPeriodMillis } = this.#options;
    const { signal } = controller;
    while (!signal.aborted) {
      // A new deadline each time: only what was asked for in time counts, and a request that hangs must not hold up the end.
      const leftMillis = term.renewedMillis + renewDeadlineMillis - monotonicMillis();
      const cancel = clock.schedule(Math.max(leftMillis, 0), () => controller.abort());
      await sleep(clock, Math.min(retryPeriodMillis, Math.max(leftMillis, 0)), signal);
      if (!signal.aborted) {
        const renewed = await raceAbort(this.#try(), signal);
        if (renewed !== undefined && !signal.aborted) term.renewedMillis = renewed.renewedMillis;
        else if (this.#isTaken()) controller.abort();
      }
      cancel();
      if (monotonicMillis() >= term.renewedMillis + renewDeadlineMillis) controller.abort();
    }
  }

  #isTaken(): boolean {
    const holder = this.#observed?.spec.holderIdentity;
    return holder !== undefined && holder !== '' && holder !== this.#options.identity;
  }

  /** One try to take or keep the Lease; `undefined` when that failed, whatever the reason. Begins when the one before it has ended. */
  #try(): Promise<Term | undefined> {
    const next = this.#last.then(() => this.#tryOnce());
    this.#last = next;
    return next;
  }

  async #tryOnce(): Promise<Term | undefined> {
    const { logger, name } = this.#options;
    try {
      // A leader knows the Lease as it wrote it last; anyone else has to look.
      if (this.#term === undefined || this.#observed === undefined) return await this.#look();
      try {
        return await this.#write(this.#observed);
      } catch (error) {
        logger.warn({ lease: name, err: error }, 'the lease is not as this leader left it');
        return await this.#look();
      }
    } catch (error) {
      if (hasReason(error, 'Conflict') || hasReason(error, 'AlreadyExists')) return undefined;
      logger.warn({ lease: name, err: error }, 'the lease could not be read or written');
      return undefined;
    }
  }

  async #look(): Promise<Term | undefined> {
    const { client, identity, namespace, name } = this.#options;
    let lease: Lease;
    try {
      lease = await client.get<Lease>({ resource: leases, namespace, name });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      return this.#create();
    }
    lease.spec ??= {};
    this.#observe(lease);
    const holder = lease.spec.holderIdentity ?? '';
    return holder !== '' && holder !== identity && this.#isHeld(lease) ? undefined : this.#write(lease);
  }

  #isHeld({ spec }: Lease): boolean {
    const { leaseDurationMillis, monotonicMillis } = this.#options;
    const durationMillis =
      spec.leaseDurationSeconds === undefined ? leaseDurationMillis : spec.leaseDurationSeconds * 1000;
    return monotonicMillis() < this.#observedMillis + durationMillis;
  }

  #observe(lease: Lease): void {
    const known = this.#observed;
    const isNews =
      known === undefined ||
      known.metadata.uid !== lease.metadata.uid ||
      known.spec.holderIdentity !== lease.spec.holderIdentity ||
      known.spec.renewTime !== lease.spec.renewTime ||
      known.spec.leaseTransitions !== lease.spec.leaseTransitions;
    if (isNews) this.#observedMillis = this.#options.monotonicMillis();
    this.#observed = lease;
  }

  async #create(): Promise<Term> {
    const { client, clock, leaseDurationMillis, identity, monotonicMillis, namespace, name } = this.#options;
    const askedMillis = monotonicMillis();
    const now = formatMicroTime(clock.now());
    const spec: LeaseSpec = {
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMillis / 1000,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    };
    const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec };
    this.#observe(await client.create<Lease>({ resource: leases, namespace }, lease));
    return { renewedMillis: askedMillis };
  }

  /** Writes this process into the Lease as it was read. Throws a Conflict when that is not how it is. */
  async #write(lease: Lease): Promise<Term> {
    const { client, clock, identity, leaseDurationMillis, monotonicMillis, namespace, name } = this.#options;
    const askedMillis = monotonicMillis();
    const now = formatMicroTime(clock.now());
    const { acquireTime, leaseTransitions = 0 } = lease.spec;
    const isOurs = lease.spec.holderIdentity === identity;
    const spec: LeaseSpec = {
      ...lease.spec,
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMillis / 1000,
      acquireTime: isOurs ? (acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: isOurs ? leaseTransitions : leaseTransitions + 1,
    };
    this.#observe(await client.update<Lease>({ resource: leases, namespace, name }, { ...lease, spec }));
    return { renewedMillis: askedMillis };
  }

  async #release(): Promise<void> {
    const { client, clock, logger, identity, namespace, name } = this.#options;
    // A renewal that hangs would take the Lease back.
    await this.#last;
    try {
      const lease = await client.get<Lease>({ resource: leases, namespace, name });
      if (lease.spec.holderIdentity !== identity) return;
      const now = formatMicroTime(clock.now());
      const spec: LeaseSpec = {
        ...lease.spec,
        holderIdentity: '',
        leaseDurationSeconds: 1,
        acquireTime: now,
        renewTime: now,
      };
      this.#observe(await client.update<Lease>({ resource: leases, namespace, name }, { ...lease, spec }));
    } catch (error) {
      logger.warn({ lease: name, err: error }, 'the lease could not be given back; it frees itself');
    }
  }
}

/** What `promise` resolves to, or `undefined` as soon as the signal aborts. */
async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const stop = (): void => aborted.resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function findStatusGauge(registry: Registry): Gauge {
  const name = 'leader_election_master_status';
  return (
    (registry.getSingleMetric(name) as Gauge | undefined) ??
    new Gauge({
      name,
      help: 'Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.',
      labelNames: ['name'],
      registers: [registry],
    })
  );
}
