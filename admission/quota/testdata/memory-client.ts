import { makeAlreadyExistsError, makeConflictError, makeNotFoundError } from '../../../core/errors/make-status-error.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type {
  CollectionReference,
  DeleteOptions,
  ListOptions,
  ObjectList,
  ObjectReference,
  ResourceClient,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../../platform/resources/resource-client.ts';

type AnyObject = KubeObject & Record<string, unknown>;

/** Hooks of a test: `pause` is awaited before and after every verb, `isConflicting` makes an update fail as if outrun. */
export interface MemoryClientOptions {
  readonly pause?: (verb: string) => Promise<unknown>;
  readonly isConflicting?: (reference: ObjectReference, subresource: string | undefined) => boolean;
  /** Whether updates compare resourceVersions; absent means yes. */
  readonly comparesVersions?: boolean;
}

/** A double of the seam, for unit tests of what decides over it: objects in memory, one counter of revisions, consistent pages. */
export class MemoryClient implements ResourceClient {
  readonly #options: MemoryClientOptions;
  readonly #objects = new Map<string, AnyObject>();
  readonly #events: { revision: number; prefix: string; event: WatchEvent }[] = [];
  readonly #pages = new Map<string, AnyObject[]>();
  #waiters: (() => void)[] = [];
  #revision = 1;
  /** Called after every change, with everything that is stored. */
  onChange: ((objects: readonly AnyObject[]) => void) | undefined;

  constructor(options: MemoryClientOptions = {}) {
    this.#options = options;
  }

  /** What is stored of a resource. */
  read<T extends KubeObject>(resource: string): T[] {
    return [...this.#objects].filter(([key]) => key.split('/')[1] === resource).map(([, object]) => object as unknown as T);
  }

  async get<T extends KubeObject>(reference: ObjectReference): Promise<T> {
    await this.#options.pause?.('get');
    const object = this.#find(reference);
    await this.#options.pause?.('got');
    return structuredClone(object) as unknown as T;
  }

  async list<T extends KubeObject>(reference: CollectionReference, options: ListOptions = {}): Promise<ObjectList<T>> {
    await this.#options.pause?.('list');
    const token = options.continue;
    const items = token === undefined ? this.#select(reference) : (this.#pages.get(token) ?? []);
    const page = items.slice(0, options.limit);
    const rest = items.slice(page.length);
    const next = rest.length === 0 ? undefined : `${this.#revision}-${Math.random()}`;
    if (next !== undefined) this.#pages.set(next, rest);
    const resourceVersion = String(this.#revision);
    await this.#options.pause?.('listed');
    return {
      metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) },
      items: structuredClone(page) as unknown as T[],
    };
  }

  async *watch<T extends KubeObject>(reference: CollectionReference, options: WatchOptions = {}): AsyncIterable<WatchEvent<T>> {
    let after = Number(options.resourceVersion ?? 0);
    const prefix = makePrefix(reference);
    while (options.signal?.aborted !== true) {
      const events = this.#events.filter((entry) => entry.revision > after && entry.prefix.startsWith(prefix));
      for (const { revision, event } of events) {
        after = revision;
        yield structuredClone(event) as WatchEvent<T>;
      }
      if (events.length > 0) continue;
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
        options.signal?.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  async create<T extends KubeObject>(reference: CollectionReference, object: T): Promise<T> {
    await this.#options.pause?.('create');
    const { name = '' } = object.metadata;
    const key = `${makePrefix(reference)}${name}`;
    if (this.#objects.has(key)) throw makeAlreadyExistsError(reference.resource.group, reference.resource.resource, name);
    const stored = structuredClone(object) as unknown as AnyObject;
    this.#revision += 1;
    stored.metadata.uid ??= `uid-${this.#revision}`;
    stored.metadata.namespace ??= reference.namespace ?? '';
    stored.metadata.resourceVersion = String(this.#revision);
    this.#put(key, stored, 'ADDED');
    await this.#options.pause?.('created');
    return structuredClone(stored) as unknown as T;
  }

  async update<T extends KubeObject>(
    reference: ObjectReference,
    object: T,
    _options?: WriteOptions,
    subresource?: string,
  ): Promise<T> {
    await this.#options.pause?.('update');
    const current = this.#find(reference);
    const { group, resource } = reference.resource;
    const isOutrun =
      this.#options.comparesVersions !== false &&
      object.metadata.resourceVersion !== current.metadata.resourceVersion;
    if (isOutrun || this.#options.isConflicting?.(reference, subresource) === true) {
      throw makeConflictError(group, resource, reference.name, 'the object has been modified');
    }
    const next = structuredClone(object) as unknown as AnyObject;
    const stored: AnyObject =
      subresource === 'status' ? { ...current, status: next['status'] } : { ...next, status: current['status'] };
    this.#revision += 1;
    stored.metadata = { ...current.metadata, resourceVersion: String(this.#revision) };
    this.#put(`${makePrefix(reference)}${reference.name}`, stored, 'MODIFIED');
    await this.#options.pause?.('updated');
    return structuredClone(stored) as unknown as T;
  }

  patch<T extends KubeObject>(): Promise<T> {
    return Promise.reject(new Error('not part of the double'));
  }

  async delete<T extends KubeObject>(reference: ObjectReference, options: DeleteOptions = {}): Promise<T> {
    await this.#options.pause?.('delete');
    const object = this.#find(reference);
    const { resourceVersion = object.metadata.resourceVersion } = options.preconditions ?? {};
    if (resourceVersion !== object.metadata.resourceVersion) {
      const { group, resource } = reference.resource;
      throw makeConflictError(group, resource, reference.name, 'the object has been modified');
    }
    this.#revision += 1;
    const key = `${makePrefix(reference)}${reference.name}`;
    this.#objects.delete(key);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
    this.#publish(key, { type: 'DELETED', object: last });
    return structuredClone(last) as unknown as T;
  }

  async deleteCollection(reference: CollectionReference): Promise<void> {
    for (const { metadata } of this.#select(reference)) {
      await this.delete({ ...reference, name: metadata.name ?? '' });
    }
  }

  #select(reference: CollectionReference): AnyObject[] {
    const prefix = makePrefix(reference);
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object);
  }

  #find(reference: ObjectReference): AnyObject {
    const object = this.#objects.get(`${makePrefix(reference)}${reference.name}`);
    if (object !== undefined) return object;
    throw makeNotFoundError(reference.resource.group, reference.resource.resource, reference.name);
  }

  #put(key: string, object: AnyObject, type: 'ADDED' | 'MODIFIED'): void {
    this.#objects.set(key, object);
    this.#publish(key, { type, object });
  }

  #publish(key: string, event: WatchEvent): void {
    this.#events.push({ revision: this.#revision, prefix: key, event: structuredClone(event) });
    this.onChange?.([...this.#objects.values()]);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}

function makePrefix({ resource, namespace }: CollectionReference): string {
  const prefix = `${resource.group}/${resource.resource}/`;
  return namespace === undefined ? prefix : `${prefix}${namespace}/`;
}
