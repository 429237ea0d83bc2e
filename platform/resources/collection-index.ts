import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { sleep } from '../process/clock.ts';
import type { Clock } from '../process/clock.ts';
import { EventLoopYield, TurnYield } from '../process/event-loop-yield.ts';
import type { CollectionReference, ResourceClient } from './resource-client.ts';

/** A change of the index: `object` is absent after a deletion, `previous` before a creation. */
export interface CollectionChange<T extends KubeObject> {
  readonly key: string;
  readonly object?: T;
  readonly previous?: T;
}

/** What a collection index needs. */
export interface CollectionIndexOptions<T extends KubeObject = KubeObject> {
  readonly client: ResourceClient;
  readonly reference: CollectionReference;
  readonly clock: Clock;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** What is kept of each object, with all its metadata that names it; absent: the whole. */
  readonly reduce?: (object: T) => T;
  /** Told when listing or watching failed and will be tried again. */
  readonly onFailure: (error: unknown) => void;
}

const pageSize = 500;
const firstBackoffMillis = 100;
const maxBackoffMillis = 30_000;
const shortestWatchMillis = 1_000;

/** `namespace/name`, or the name alone for cluster-scoped objects. */
export function formatObjectKey(object: KubeObject): string {
  const { namespace, name = '' } = object.metadata;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The namespace (absent for cluster-scoped objects) and name of such a key. */
export function parseObjectKey(key: string): { namespace?: string; name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * A copy of a collection that follows it: list, then watch, resumed where it broke off, listed anew when the position has expired.
 * It lags behind the source; who needs the newest state reads through the client. Objects are shared and must not be changed.
 */
export class CollectionIndex<T extends KubeObject = KubeObject> {
  readonly #options: CollectionIndexOptions<T>;
  readonly #objects = new Map<string, T>();
  readonly #byNamespace = new Map<string, Map<string, T>>();
  readonly #listeners = new Set<(change: CollectionChange<T>) => void>();
  readonly #controller = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #resourceVersion: string | undefined;

  constructor(options: CollectionIndexOptions<T>) {
    this.#options = options;
  }

  /** Begins to follow the collection; resolves when the first list is in. */
  start(): Promise<void> {
    this.#running ??= this.#follow();
    return this.#synced.promise;
  }

  /** Calls `listener` for every later change, after the index shows it. Returns a function that ends this. */
  subscribe(listener: (change: CollectionChange<T>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `undefined` when the index knows no such object; `namespace` is absent for cluster-scoped kinds. */
  get(name: string, namespace?: string): T | undefined {
    return this.#objects.get(namespace === undefined ? name : `${namespace}/${name}`);
  }

  /** The objects of one namespace, or all of them, in no particular order. */
  list(namespace?: string): T[] {
    const objects = namespace === undefined ? this.#objects : this.#byNamespace.get(namespace);
    return objects === undefined ? [] : [...objects.values()];
  }

  /** Ends following; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#controller.abort();
    this.#synced.resolve();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { clock, onFailure } = this.#options;
    const { signal } = this.#controller;
    let failures = 0;
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === undefined) {
          this.#resourceVersion = await this.#listAll();
          this.#synced.resolve();
        }
        const startMillis = clock.now();
        await this.#watch(this.#resourceVersion);
        failures = 0;
        // A source that ends every watch at once must not be asked in a tight loop.
        const leftMillis = startMillis + shortestWatchMillis - clock.now();
        if (leftMillis > 0) await sleep(clock, leftMillis, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        if (hasReason(error, 'Expired') || hasReason(error, 'Gone')) {
          this.#resourceVersion = undefined;
          // At once, but for a source that forgets faster than it can be read.
          if (failures === 1) continue;
        } else {
          onFailure(error);
        }
        await sleep(clock, Math.min(maxBackoffMillis, firstBackoffMillis * 2 ** Math.min(failures - 1, 20)), signal);
      }
    }
  }

  async #listAll(): Promise<string> {
    const seen = new Map<string, T>();
    let continueToken: string | undefined;
    let resourceVersion: string;
    do {
      const page = await this.#options.client.list<T>(this.#options.reference, {
        ...this.#selectors(),
        limit: pageSize,
        ...(continueToken === undefined ? {} : { continue: continueToken }),
      });
      for (const object of page.items) seen.set(formatObjectKey(object), this.#reduce(object));
      continueToken = page.metadata.continue === '' ? undefined : page.metadata.continue;
      resourceVersion = page.metadata.resourceVersion ?? '';
    } while (continueToken !== undefined);
    // Whoever listens may take a while for each: everything else must have its turn.
    const slices = new EventLoopYield();
    for (const key of [...this.#objects.keys()]) {
      if (slices.isDue()) await slices.pause();
      if (!seen.has(key)) this.#remove(key);
    }
    for (const [key, object] of seen) {
      if (slices.isDue()) await slices.pause();
      if (this.#objects.get(key)?.metadata.resourceVersion !== object.metadata.resourceVersion) this.#put(key, object);
    }
    return resourceVersion;
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { signal } = this.#controller;
    const events = this.#options.client.watch<T>(this.#options.reference, {
      ...this.#selectors(),
      resourceVersion,
      allowWatchBookmarks: true,
      signal,
    });
    const turns = new TurnYield();
    for await (const event of events) {
      if (turns.isDue()) await turns.pause();
      if (signal.aborted) return;
      const { object } = event;
      if (event.type === 'DELETED') this.#remove(formatObjectKey(object), object);
      else if (event.type !== 'BOOKMARK') this.#put(formatObjectKey(object), this.#reduce(object));
      this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
    }
  }

  #reduce(object: T): T {
    const { reduce } = this.#options;
    return reduce === undefined ? object : reduce(object);
  }

  #selectors(): { labelSelector?: string; fieldSelector?: string } {
    const { labelSelector, fieldSelector } = this.#options;
    return {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
  }

  #put(key: string, object: T): void {
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    const namespace = object.metadata.namespace ?? '';
    let siblings = this.#byNamespace.get(namespace);
    if (siblings === undefined) {
      siblings = new Map();
      this.#byNamespace.set(namespace, siblings);
    }
    siblings.set(key, object);
    this.#notify(previous === undefined ? { key, object } : { key, object, previous });
  }

  #remove(key: string, last?: T): void {
    const previous = last ?? this.#objects.get(key);
    if (!this.#objects.delete(key)) return;
    const namespace = previous?.metadata.namespace ?? '';
    const siblings = this.#byNamespace.get(namespace);
    siblings?.delete(key);
    if (siblings?.size === 0) this.#byNamespace.delete(namespace);
    this.#notify(previous === undefined ? { key } : { key, previous });
  }

  #notify(change: CollectionChange<T>): void {
    for (const listener of this.#listeners) listener(change);
  }
}
