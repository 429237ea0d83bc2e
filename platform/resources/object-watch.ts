import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { Clock } from '../process/clock.ts';
import { CollectionIndex } from './collection-index.ts';
import type { ObjectReference, ResourceClient } from './resource-client.ts';

/** Which object to follow, and with what. */
export interface ObjectWatchOptions {
  readonly client: ResourceClient;
  readonly reference: ObjectReference;
  readonly clock: Clock;
  /** Told when reading or watching failed and will be tried again. */
  readonly onFailure: (error: unknown) => void;
}

/** One object, followed by its name: a Secret, a ConfigMap. It lags behind the source as a CollectionIndex does. */
export class ObjectWatch<T extends KubeObject = KubeObject> {
  readonly #index: CollectionIndex<T>;
  readonly #reference: ObjectReference;

  constructor({ reference, ...options }: ObjectWatchOptions) {
    this.#reference = reference;
    const { resource, namespace, name } = reference;
    this.#index = new CollectionIndex<T>({
      ...options,
      reference: namespace === undefined ? { resource } : { resource, namespace },
      fieldSelector: `metadata.name=${name}`,
    });
  }

  /** Begins to follow; resolves when it is known whether the object exists. */
  start(): Promise<void> {
    return this.#index.start();
  }

  /** The object; `undefined` when there is none, or nothing is known yet. */
  get current(): T | undefined {
    return this.#index.get(this.#reference.name, this.#reference.namespace);
  }

  /** Calls `listener` with every later state, `undefined` for absence. Returns a function that ends this. */
  subscribe(listener: (object: T | undefined) => void): () => void {
    return this.#index.subscribe(({ object }) => listener(object));
  }

  /** Ends following; resolves when nothing runs any more. */
  close(): Promise<void> {
    return this.#index.close();
  }
}
