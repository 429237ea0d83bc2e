import type { KubeObject, ObjectMeta } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import type {
  CollectionReference,
  ObjectReference,
  ResourceClient,
  WatchEvent,
  WatchOptions,
} from '../resource-client.ts';
import { configMaps, namespaces, type AnyObject } from './contract-objects.ts';

/** One driver under test, with the default domain. Namespaces of the tests are made by their own names, so many may share a source. */
export interface ResourceClientUnderTest {
  readonly client: ResourceClient;
  /** Whether `fieldValidation` is looked at: in-process, objects are not decoded from bodies. */
  readonly readsBodies: boolean;
  /** Lets every position up to now expire; absent where that cannot be forced. */
  compact?(): Promise<void>;
}

/** A watch that is read step by step; `close` ends it. */
export class WatchReader {
  readonly #controller = new AbortController();
  readonly #events: AsyncIterator<WatchEvent<AnyObject>>;
  #ahead: Promise<IteratorResult<WatchEvent<AnyObject>>> | undefined;

  constructor(client: ResourceClient, resource: ResourceName, namespace: string, options: WatchOptions) {
    const reference = { resource, namespace };
    const watch = client.watch<AnyObject>(reference, { ...options, signal: this.#controller.signal });
    this.#events = watch[Symbol.asyncIterator]();
    // A watch begins with its first step, and must begin before the test goes on.
    this.#ahead = this.#events.next();
    this.#ahead.catch(() => undefined);
  }

  /** The next event but bookmarks; `undefined` at the end. */
  async next(): Promise<WatchEvent<AnyObject> | undefined> {
    for (;;) {
      const step = await this.#step();
      if (step.done === true) return undefined;
      if (step.value.type !== 'BOOKMARK') return step.value;
    }
  }

  async nextLine(): Promise<string | undefined> {
    const event = await this.next();
    return event === undefined ? undefined : `${event.type} ${event.object.metadata.name}`;
  }

  /** The next event, bookmarks too. */
  async nextAny(): Promise<WatchEvent<AnyObject> | undefined> {
    const step = await this.#step();
    return step.done === true ? undefined : step.value;
  }

  async close(): Promise<void> {
    this.#controller.abort();
    while ((await this.#step()).done !== true);
  }

  #step(): Promise<IteratorResult<WatchEvent<AnyObject>>> {
    const step = this.#ahead ?? this.#events.next();
    this.#ahead = undefined;
    return step;
  }
}

/** A driver, and for each test a namespace of its own; `open` is asked when a test begins. */
export class ContractBench {
  readonly #open: () => ResourceClientUnderTest;
  #subject: ResourceClientUnderTest | undefined;
  #watches: WatchReader[] = [];
  namespace = '';

  constructor(open: () => ResourceClientUnderTest) {
    this.#open = open;
  }

  async begin(): Promise<void> {
    this.#subject = this.#open();
    const metadata: ObjectMeta = { generateName: 'contract-' };
    const made = await this.client.create({ resource: namespaces }, { apiVersion: 'v1', kind: 'Namespace', metadata });
    this.namespace = made.metadata.name ?? '';
  }

  async end(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.close()));
    this.#watches = [];
    this.#subject = undefined;
  }

  get subject(): ResourceClientUnderTest {
    if (this.#subject === undefined) throw new Error('no test is under way');
    return this.#subject;
  }

  get client(): ResourceClient {
    return this.subject.client;
  }

  at(resource: ResourceName, name: string): ObjectReference {
    return { resource, namespace: this.namespace, name };
  }

  all(resource: ResourceName): CollectionReference {
    return { resource, namespace: this.namespace };
  }

  create(object: AnyObject, resource = configMaps): Promise<KubeObject> {
    return this.client.create(this.all(resource), object);
  }

  /** Begins a watch, which ends with the test. */
  watch(options: WatchOptions, resource = configMaps): WatchReader {
    const reader = new WatchReader(this.client, resource, this.namespace, options);
    this.#watches.push(reader);
    return reader;
  }

  /** The version at which a collection stands. */
  async listVersion(resource = configMaps): Promise<string> {
    return (await this.client.list(this.all(resource))).metadata.resourceVersion ?? '';
  }
}
