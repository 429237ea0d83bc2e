import { hasReason } from '../../../core/errors/status.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import { formatUsage } from '../../../kinds/core/resource-quota/usage.ts';
import type { UsageEvaluator } from '../../../kinds/core/resource-quota/usage-evaluator.ts';
import { sleep } from '../../../platform/process/clock.ts';
import type { WatchEvent } from '../../../platform/resources/resource-client.ts';
import type { ControllerOptions } from '../controller-parts.ts';

/** What a watch of usage needs. */
export interface UsageWatchOptions extends ControllerOptions {
  readonly evaluator: UsageEvaluator;
  readonly version: string;
  /** Whether anything in a namespace is counted. */
  readonly isCounted: (namespace: string) => boolean;
  /** Told that the objects of a namespace may use another amount than before: at once, or after a delay. */
  readonly onChange: (namespace: string, delayMillis: number) => void;
  /** Told that changes may have been missed in every namespace. */
  readonly onGap: () => void;
  /** Told of every new object in a namespace that is counted; absent: whoever lets objects in has counted them. */
  readonly onCreate?: (namespace: string) => void;
  /** Told of the uid of every object that is gone, before `onChange`. */
  readonly onDelete?: (uid: string) => void;
}

const FIRST_BACKOFF_MILLIS = 100;
const MAX_BACKOFF_MILLIS = 30_000;
const SHORTEST_WATCH_MILLIS = 1_000;

/**
 * Follows the objects of one kind and tells where they may use less, or anything else, than before. Keeps no objects, only a line of
 * text for each whose use can change.
 */
export class UsageWatch {
  readonly #options: UsageWatchOptions;
  readonly #resource: ResourceName;
  readonly #controller = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  readonly #lastUsage = new Map<string, string>();
  #running: Promise<void> | undefined;

  constructor(options: UsageWatchOptions) {
    this.#options = options;
    const { evaluator, version } = options;
    this.#resource = { group: evaluator.group, version, resource: evaluator.resource };
  }

  /** Resolves when every later change will be seen. */
  start(): Promise<void> {
    this.#running ??= this.#follow();
    return this.#synced.promise;
  }

  /** Resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#controller.abort();
    this.#synced.resolve();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { clock, logger, onGap } = this.#options;
    const { signal } = this.#controller;
    let resourceVersion: string | undefined;
    let failures = 0;
    while (!signal.aborted) {
      const startMillis = clock.now();
      try {
        if (resourceVersion === undefined) {
          resourceVersion = await this.#readPosition();
          this.#lastUsage.clear();
          this.#synced.resolve();
          onGap();
        }
        for await (const event of this.#watch(resourceVersion)) {
          if (signal.aborted) return;
          if (event.type !== 'BOOKMARK') this.#handle(event);
          resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        }
        failures = 0;
        // A source that ends every watch at once must not be asked in a tight loop.
        await sleep(clock, Math.max(0, startMillis + SHORTEST_WATCH_MILLIS - clock.now()), signal);
      } catch (error) {
        if (signal.aborted) return;
        if (hasReason(error, 'Expired') || hasReason(error, 'Gone')) resourceVersion = undefined;
        else logger.warn({ resource: this.#resource.resource, err: error }, 'following usage failed, trying again');
        failures += 1;
        await sleep(clock, Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS * 2 ** Math.min(failures, 20)), signal);
      }
    }
  }

  async #readPosition(): Promise<string> {
    const page = await this.#options.client.list({ resource: this.#resource }, { limit: 1 });
    return page.metadata.resourceVersion ?? '';
  }

  #watch(resourceVersion: string): AsyncIterable<WatchEvent> {
    const { signal } = this.#controller;
    return this.#options.client.watch(
      { resource: this.#resource },
      { resourceVersion, allowWatchBookmarks: true, signal },
    );
  }

  #handle({ type, object }: WatchEvent): void {
    const { evaluator, isCounted, onChange, onCreate, onDelete } = this.#options;
    const { uid = '', namespace = '' } = object.metadata;
    if (type === 'DELETED') {
      this.#lastUsage.delete(uid);
      onDelete?.(uid);
      onChange(namespace, 0);
      return;
    }
    if (!isCounted(namespace)) return;
    if (type === 'ADDED') onCreate?.(namespace);
    if (evaluator.countsOnly === true) return;
    const usage = this.#describe(object);
    const isChanged = type === 'MODIFIED' && this.#lastUsage.get(uid) !== usage;
    this.#lastUsage.set(uid, usage);
    if (isChanged) onChange(namespace, 0);
    this.#awaitExpiry(object, namespace);
  }

  #awaitExpiry(object: KubeObject, namespace: string): void {
    const { evaluator, clock, onChange } = this.#options;
    const expiry = evaluator.findExpiry?.(object);
    if (expiry !== undefined) onChange(namespace, Math.max(0, expiry - clock.now()) + 1);
  }

  #describe(object: KubeObject): string {
    const { evaluator, clock } = this.#options;
    return `${formatUsage(evaluator.measure(object, clock.now()))} ${evaluator.describeScopes?.(object) ?? ''}`;
  }
}
