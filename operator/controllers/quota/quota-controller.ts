import { type QuotaServices, recountQuota } from '../../../admission/quota/recount-quota.ts';
import { resourceQuotas } from '../../../admission/quota/quota-status.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import type { ResourceQuota } from '../../../kinds/core/resource-quota/schema.ts';
import type { UsageEvaluator } from '../../../kinds/core/resource-quota/usage-evaluator.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import {
  type CollectionChange,
  type CollectionIndex,
  formatObjectKey,
  parseObjectKey,
} from '../../../platform/resources/collection-index.ts';
import { type Controller, type ControllerOptions, createControllerQueue, createIndex } from '../controller-parts.ts';
import { UsageWatch } from './usage-watch.ts';

/** What the controller needs; the ledger is the one that the admission plugin has. */
export interface QuotaControllerOptions extends ControllerOptions, QuotaServices {
  /** How often every quota is counted anew, whatever was seen; absent means five minutes. */
  readonly resyncMillis?: number;
}

const DEFAULT_RESYNC_MILLIS = 5 * 60_000;
/** How long a status that somebody else wrote may contradict its quota. */
const REPAIR_MILLIS = 10_000;

/**
 * Keeps the status of quotas true ("ResourceQuota"): computes it when a quota is new or changed, replenishes it when objects are deleted,
 * end or shrink, and repairs it from time to time.
 */
export class QuotaController implements Controller {
  readonly #options: QuotaControllerOptions;
  readonly #quotas: CollectionIndex<ResourceQuota>;
  readonly #queue: WorkQueue;
  readonly #watches = new Map<UsageEvaluator, { readonly version: string; readonly watch: UsageWatch }>();
  /** When each quota may be counted again, in milliseconds. */
  readonly #restUntil = new Map<string, number>();
  #cancelResync: (() => void) | undefined;
  #isClosed = false;

  constructor(options: QuotaControllerOptions) {
    this.#options = options;
    this.#quotas = createIndex<ResourceQuota>(options, resourceQuotas);
    this.#queue = createControllerQueue(options, 'quota', (key) => this.#recount(key));
  }

  async start(): Promise<void> {
    this.#quotas.subscribe((change) => this.#handleQuota(change));
    await this.#quotas.start();
    await Promise.all([...this.#watches.values()].map(({ watch }) => watch.start()));
    this.#scheduleResync();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelResync?.();
    await this.#quotas.close();
    await Promise.all([...this.#watches.values()].map(({ watch }) => watch.close()));
    await this.#queue.close();
  }

  /** Counts kinds that have come, in those quotas that name them, and no longer follows kinds that have gone. */
  renewKinds(): void {
    const versions = new Map(
      this.#options.evaluators.listCountable().map(({ evaluator, version }) => [evaluator, version]),
    );
    for (const [evaluator, { version, watch }] of this.#watches) {
      if (versions.get(evaluator) === version) continue;
      this.#watches.delete(evaluator);
      void watch.close();
    }
    for (const quota of this.#quotas.list()) this.#followKinds(quota);
  }

  /** Resolves when every quota that is known to need a count has been counted. */
  async waitUntilIdle(): Promise<void> {
    await this.#queue.waitUntilIdle();
  }

  /** Counts a quota, then lets it rest for as long as that took, so that many deletions cannot take the whole processor. */
  async #recount(key: string): Promise<WorkResult | undefined> {
    const { clock } = this.#options;
    const startMillis = clock.now();
    const restMillis = (this.#restUntil.get(key) ?? 0) - startMillis;
    if (restMillis > 0) return { againAfterMillis: restMillis };
    const { namespace = '', name } = parseObjectKey(key);
    await recountQuota(this.#options, namespace, name);
    const endMillis = clock.now();
    this.#restUntil.set(key, endMillis + (endMillis - startMillis));
    return undefined;
  }

  #handleQuota({ key, object, previous }: CollectionChange<ResourceQuota>): void {
    if (object === undefined) {
      this.#restUntil.delete(key);
      return;
    }
    this.#followKinds(object);
    const isRespecified = previous === undefined || !deepEqual(object.spec, previous.spec);
    if (isRespecified || object.status?.hard === undefined) this.#queue.add(key);
    else if (!deepEqual(object.status.hard, object.spec.hard)) this.#queue.addAfter(key, REPAIR_MILLIS);
  }

  /** Starts to follow the kinds that a quota counts. What was deleted before that is found by the count that follows. */
  #followKinds(quota: ResourceQuota): void {
    if (this.#isClosed) return;
    const names = Object.keys(quota.spec.hard ?? {});
    for (const { evaluator, version } of this.#options.evaluators.listCountable()) {
      if (this.#watches.has(evaluator) || evaluator.selectResources(names).length === 0) continue;
      const { client, clock, logger } = this.#options;
      const watch = new UsageWatch({
        client,
        clock,
        logger,
        evaluator,
        version,
        isCounted: (namespace) => this.#listCounting(evaluator, namespace).length > 0,
        onChange: (namespace, delayMillis) => this.#enqueue(evaluator, delayMillis, namespace),
        onGap: () => this.#enqueue(evaluator, 0),
      });
      this.#watches.set(evaluator, { version, watch });
      void watch.start();
    }
  }

  #listCounting(evaluator: UsageEvaluator, namespace?: string): ResourceQuota[] {
    return this.#quotas
      .list(namespace)
      .filter((quota) => evaluator.selectResources(Object.keys(quota.spec.hard ?? {})).length > 0);
  }

  #enqueue(evaluator: UsageEvaluator, delayMillis: number, namespace?: string): void {
    for (const quota of this.#listCounting(evaluator, namespace)) {
      if (delayMillis === 0) this.#queue.add(formatObjectKey(quota));
      else this.#queue.addAfter(formatObjectKey(quota), delayMillis);
    }
  }

  #scheduleResync(): void {
    if (this.#isClosed) return;
    const { clock, resyncMillis = DEFAULT_RESYNC_MILLIS } = this.#options;
    this.#cancelResync = clock.schedule(resyncMillis, () => {
      for (const quota of this.#quotas.list()) this.#queue.add(formatObjectKey(quota));
      this.#scheduleResync();
    });
  }
}
