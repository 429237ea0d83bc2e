import type { KubeObject } from '../core/meta/kube-object.ts';
import type { KindDefinition } from '../kinds/kind-definition.ts';
import type { CollectionChange, CollectionIndex } from '../platform/resources/collection-index.ts';
import type { Clock } from '../platform/process/clock.ts';
import { checkEnforceable, type Enforceable } from './check-enforceable.ts';

/** What an index of enforceable objects needs. */
export interface EnforceableIndexOptions<T extends KubeObject> {
  readonly kind: KindDefinition<T>;
  /** Started and closed by whoever made it; its objects bear the kind's own apiVersion. */
  readonly index: CollectionIndex<T>;
  readonly domain: string;
  readonly clock: Clock;
  /** Told of each object that nothing can act on, once a generation; `object` is as it is stored. */
  readonly onInvalid?: (object: T, faults: readonly string[]) => void;
}

/** Whether two states are of one object and differ in metadata and status at most; a kind without generations is taken to differ. */
export function isSameGeneration(object: KubeObject, previous: KubeObject): boolean {
  const { uid, generation } = object.metadata;
  return generation !== undefined && uid === previous.metadata.uid && generation === previous.metadata.generation;
}

interface Entry<T extends KubeObject> {
  readonly raw: T;
  readonly checked: Enforceable<T>;
}

/**
 * The objects of an own kind that can be acted on: valid by all of the kind's rules, and with its defaults applied. What a host's schema
 * lets through besides is inert, and told of. Objects are shared and must not be changed.
 */
export class EnforceableIndex<T extends KubeObject = KubeObject> {
  readonly #options: EnforceableIndexOptions<T>;
  /** By the object as the index below holds it, so that one that is gone is forgotten with it. */
  readonly #checked = new WeakMap<T, Enforceable<T>>();
  /** Generation last reported, by uid. */
  readonly #reported = new Map<string, string>();

  constructor(options: EnforceableIndexOptions<T>) {
    this.#options = options;
    for (const object of options.index.list()) this.#check(object);
    options.index.subscribe((change) => this.#follow(change));
  }

  /** The objects of one namespace that can be acted on, or of all of them, in no particular order. */
  list(namespace?: string): T[] {
    return this.#entries(namespace).flatMap(({ checked }) => (checked.object === undefined ? [] : [checked.object]));
  }

  /** The objects that nothing can act on, as they are stored, with their faults. */
  listInvalid(): { readonly object: T; readonly faults: readonly string[] }[] {
    return this.#entries().flatMap(({ raw, checked }) =>
      checked.faults === undefined ? [] : [{ object: raw, faults: checked.faults }],
    );
  }

  /** `undefined` when there is no such object, or none that can be acted on. */
  get(name: string, namespace?: string): T | undefined {
    const raw = this.#options.index.get(name, namespace);
    return raw === undefined ? undefined : this.#check(raw).object;
  }

  /** Calls `listener` for every later change of the collection, after the index shows it. Returns a function that ends this. */
  subscribe(listener: (change: CollectionChange<T>) => void): () => void {
    return this.#options.index.subscribe(listener);
  }

  #entries(namespace?: string): Entry<T>[] {
    return this.#options.index.list(namespace).map((raw) => ({ raw, checked: this.#check(raw) }));
  }

  #follow({ object, previous }: CollectionChange<T>): void {
    // A status that is written often is looked at when it is asked for; what there is to report hangs on the rest.
    if (object !== undefined && previous !== undefined && isSameGeneration(object, previous)) return;
    if (object !== undefined) this.#check(object);
    else if (previous?.metadata.uid !== undefined) this.#reported.delete(previous.metadata.uid);
  }

  #check(raw: T): Enforceable<T> {
    const known = this.#checked.get(raw);
    if (known !== undefined) return known;
    const { kind, domain, clock } = this.#options;
    const checked = checkEnforceable(kind, raw, { domain, nowMillis: clock.now() });
    this.#checked.set(raw, checked);
    const { uid = '', generation } = raw.metadata;
    if (checked.faults === undefined) {
      this.#reported.delete(uid);
    } else if (this.#reported.get(uid) !== String(generation)) {
      this.#reported.set(uid, String(generation));
      this.#options.onInvalid?.(raw, checked.faults);
    }
    return checked;
  }
}
