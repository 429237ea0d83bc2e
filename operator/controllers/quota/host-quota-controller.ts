import { DeletedObjects } from '../../../admission/quota/claims/deleted-objects.ts';
import { interpretQuota } from '../../../admission/quota/claims/interpret-quota.ts';
import { recountLedger, type RecountServices } from '../../../admission/quota/claims/recount-ledger.ts';
import { type DiscoveredResource, listHostKinds } from '../../../admission/quota/list-host-kinds.ts';
import { resourceQuotas } from '../../../admission/quota/quota-status.ts';
import { UsageEvaluators } from '../../../admission/quota/usage-evaluators.ts';
import { CLAIM_LIFETIME_MILLIS } from '../../../kinds/core/resource-quota/plan-claim-recount.ts';
import { isCounted, type LedgerQuota } from '../../../kinds/core/resource-quota/quota-claim.ts';
import type { UsageEvaluator } from '../../../kinds/core/resource-quota/usage-evaluator.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { EventSubject, EventType } from '../../../platform/kube/event-recorder.ts';
import { WorkQueue, type WorkResult } from '../../../platform/kube/work-queue.ts';
import type { Registry } from '../../../platform/process/metrics.ts';
import {
  type CollectionChange,
  type CollectionIndex,
  formatObjectKey,
  parseObjectKey,
} from '../../../platform/resources/collection-index.ts';
import { type Controller, type ControllerOptions, createIndex } from '../controller-parts.ts';
import type { ClaimWatch } from './claim-watch.ts';
import { HostQuotaMetrics } from './host-quota-metrics.ts';
import { UsageWatch } from './usage-watch.ts';

/** What a host serves, followed as it changes. */
export interface ResourceSource {
  readonly resources: readonly DiscoveredResource[];
  subscribe(listener: (resources: readonly DiscoveredResource[]) => void): () => void;
}

/** What the controller needs. */
export interface HostQuotaControllerOptions extends ControllerOptions {
  readonly registry: KindRegistry;
  /** Started already, and closed by whoever started it. */
  readonly discovery: ResourceSource;
  readonly events: { record(object: EventSubject, type: EventType, reason: string, message: string): void };
  readonly metrics: Registry;
  /** Whether this process leads still. */
  readonly isLeading: () => boolean;
  /** Begun before this process led, and by the same clock. */
  readonly claims: Pick<ClaimWatch, 'seen' | 'monotonicMillis'>;
  /** How often every quota is counted anew, whatever was seen; absent means five minutes. */
  readonly resyncMillis?: number;
}

const DEFAULT_RESYNC_MILLIS = 5 * 60_000;
/** What happens at once shall be counted at once: a change waits for others so long. */
const GATHER_MILLIS = 200;
/** Between two counts of a quota lies at least this, and twice the time that the count took. */
const REST_MILLIS = 1_000;
const CONCURRENCY = 5;
const FAILURES_TO_TELL = 3;
const MAX_BACKOFF_MILLIS = 15_000;

/**
 * Keeps the status of quotas true on a host ("ResourceQuota"): counts a quota that is new or changed, and whenever objects come, go or use
 * another amount; closes the claims of writes that have ended. What can be counted follows from what the host serves.
 */
export class HostQuotaController implements Controller {
  readonly #options: HostQuotaControllerOptions;
  readonly #quotas: CollectionIndex<LedgerQuota>;
  readonly #queue: WorkQueue;
  readonly #evaluators: UsageEvaluators;
  readonly #services: RecountServices;
  readonly #metrics: HostQuotaMetrics;
  readonly #watches = new Map<UsageEvaluator, UsageWatch>();
  readonly #restUntil = new Map<string, number>();
  /** How often in a row the counting of a quota has failed. */
  readonly #failures = new Map<string, number>();
  #endDiscovery: (() => void) | undefined;
  #cancelResync: (() => void) | undefined;
  #isClosed = false;

  constructor(options: HostQuotaControllerOptions) {
    const { client, clock, registry, discovery, claims, isLeading } = options;
    const { seen, monotonicMillis } = claims;
    this.#options = options;
    this.#evaluators = new UsageEvaluators(listHostKinds(registry, discovery.resources));
    this.#services = {
      ...{ client, clock, domain: registry.domain, evaluators: this.#evaluators, monotonicMillis, seen },
      deleted: new DeletedObjects(monotonicMillis),
      isLeading: () => !this.#isClosed && isLeading(),
    };
    this.#metrics = new HostQuotaMetrics(options.metrics);
    this.#quotas = createIndex<LedgerQuota>(options, resourceQuotas);
    this.#queue = new WorkQueue({
      clock,
      concurrency: CONCURRENCY,
      work: (key) => this.#recount(key),
      onFailure: (key, error) => this.#handleFailure(key, error),
    });
  }

  async start(): Promise<void> {
    this.#endDiscovery = this.#options.discovery.subscribe((resources) => this.#handleResources(resources));
    this.#quotas.subscribe((change) => this.#handleQuota(change));
    await this.#quotas.start();
    this.#scheduleResync();
    await Promise.all([...this.#watches.values()].map((watch) => watch.start()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endDiscovery?.();
    this.#cancelResync?.();
    await this.#quotas.close();
    await Promise.all([...this.#watches.values()].map((watch) => watch.close()));
    await this.#queue.close();
    this.#metrics.setOpenClaims(0);
  }

  async #recount(key: string): Promise<WorkResult | undefined> {
    const { clock, claims } = this.#options;
    const { monotonicMillis } = claims;
    const startMillis = monotonicMillis();
    const leftMillis = (this.#restUntil.get(key) ?? 0) - startMillis;
    if (leftMillis > 0) return { againAfterMillis: leftMillis };
    let backoffMillis = 0;
    const { namespace = '', name } = parseObjectKey(key);
    const startedMillis = clock.now();
    try {
      const { isChanged, againAfterMillis } = await recountLedger(this.#services, namespace, name);
      this.#metrics.recordCount(isChanged ? 'changed' : 'unchanged', (clock.now() - startedMillis) / 1000);
      this.#failures.delete(key);
      return againAfterMillis === undefined ? undefined : { againAfterMillis };
    } catch (error) {
      this.#metrics.recordCount('failed', (clock.now() - startedMillis) / 1000);
      const failures = this.#handleFailure(key, error);
      backoffMillis = Math.min(MAX_BACKOFF_MILLIS, REST_MILLIS * 2 ** Math.min(failures - 1, 10));
      return { againAfterMillis: backoffMillis };
    } finally {
      const endMillis = monotonicMillis();
      const restMillis = Math.max(REST_MILLIS, backoffMillis, 2 * (endMillis - startMillis));
      this.#restUntil.set(key, endMillis + restMillis);
      this.#metrics.setOpenClaims(this.#services.seen.countOpen());
    }
  }

  /** Tells of a failure; returns how many there were in a row. */
  #handleFailure(key: string, error: unknown): number {
    const { logger, events } = this.#options;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (this.#isClosed) return failures;
    logger.warn({ controller: 'quota', key, failures, err: error }, 'a reconcile failed, trying again');
    const { namespace, name } = parseObjectKey(key);
    const quota = this.#quotas.get(name, namespace);
    if (failures !== FAILURES_TO_TELL || quota === undefined) return failures;
    const reason = error instanceof Error ? error.message : 'the reason is in the log of the operator';
    events.record(quota, 'Warning', 'CountFailed', `The use of this quota cannot be counted: ${reason}`);
    return failures;
  }

  #handleQuota({ key, object, previous }: CollectionChange<LedgerQuota>): void {
    const { seen } = this.#services;
    if (object === undefined) {
      this.#restUntil.delete(key);
      this.#failures.delete(key);
      if (previous !== undefined) seen.forget(previous);
      return;
    }
    seen.note(object);
    const quota = interpretQuota(this.#services, object);
    if (quota === undefined) return;
    this.#followKinds();
    if (previous === undefined || !isCounted(quota)) this.#add(key, 0);
    if (previous?.metadata.generation !== quota.metadata.generation) this.#tellUnserved(quota);
    if ((quota.status?.claims ?? []).length > 0) this.#add(key, CLAIM_LIFETIME_MILLIS);
  }

  /** A resource that nobody serves is not counted; who limits it should know. */
  #tellUnserved(quota: LedgerQuota): void {
    const names = Object.keys(quota.spec.hard ?? {});
    const counted = new Set(
      this.#evaluators.listCountable().flatMap(({ evaluator }) => evaluator.selectResources(names)),
    );
    const unserved = names.filter((name) => !counted.has(name)).toSorted();
    if (unserved.length === 0) return;
    const message = `Nothing that the host serves uses ${unserved.join(', ')}, which limits nothing for now`;
    this.#options.events.record(quota, 'Warning', 'Uncounted', message);
  }

  #handleResources(resources: readonly DiscoveredResource[]): void {
    const { registry, logger } = this.#options;
    const before = new Map(this.#evaluators.listCountable().map(({ evaluator, version }) => [evaluator, version]));
    this.#evaluators.replaceKinds(listHostKinds(registry, resources));
    const after = new Map(this.#evaluators.listCountable().map(({ evaluator, version }) => [evaluator, version]));
    for (const [evaluator, watch] of this.#watches) {
      if (after.get(evaluator) === before.get(evaluator)) continue;
      this.#watches.delete(evaluator);
      watch.close().catch((error: unknown) => logger.warn({ err: error }, 'a watch could not be closed'));
    }
    this.#followKinds();
    // What appears or vanishes counts from now on, or no more.
    for (const evaluator of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(evaluator) !== after.get(evaluator)) this.#enqueue(evaluator, 0);
    }
  }

  /** Follows the kinds that any quota counts. */
  #followKinds(): void {
    if (this.#isClosed) return;
    const names = new Set(this.#quotas.list().flatMap(({ spec }) => Object.keys(spec?.hard ?? {})));
    for (const { evaluator, version } of this.#evaluators.listCountable()) {
      if (this.#watches.has(evaluator) || evaluator.selectResources(names).length === 0) continue;
      const { client, clock, logger } = this.#options;
      const watch = new UsageWatch({
        ...{ client, clock, logger, evaluator, version },
        isCounted: (namespace) => this.#listCounting(evaluator, namespace).length > 0,
        onChange: (namespace, delayMillis) => this.#enqueue(evaluator, Math.max(GATHER_MILLIS, delayMillis), namespace),
        onCreate: (namespace) => this.#enqueue(evaluator, GATHER_MILLIS, namespace),
        onDelete: (uid) => this.#services.deleted.add(uid),
        onGap: () => this.#enqueue(evaluator, 0),
      });
      this.#watches.set(evaluator, watch);
      void watch.start();
    }
  }

  #listCounting(evaluator: UsageEvaluator, namespace?: string): LedgerQuota[] {
    return this.#quotas
      .list(namespace)
      .filter(({ spec }) => evaluator.selectResources(Object.keys(spec?.hard ?? {})).length > 0);
  }

  #enqueue(evaluator: UsageEvaluator, delayMillis: number, namespace?: string): void {
    for (const quota of this.#listCounting(evaluator, namespace)) this.#add(formatObjectKey(quota), delayMillis);
  }

  #add(key: string, delayMillis: number): void {
    this.#metrics.recordAdd();
    if (delayMillis === 0) this.#queue.add(key);
    else this.#queue.addAfter(key, delayMillis);
  }

  #scheduleResync(): void {
    if (this.#isClosed) return;
    const { clock, resyncMillis = DEFAULT_RESYNC_MILLIS } = this.#options;
    this.#cancelResync = clock.schedule(resyncMillis, () => {
      for (const quota of this.#quotas.list()) this.#add(formatObjectKey(quota), 0);
      this.#scheduleResync();
    });
  }
}
