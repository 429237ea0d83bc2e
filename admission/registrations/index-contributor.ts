import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { CollectionIndex } from '../../platform/resources/collection-index.ts';
import { type EnforceableIndex, isSameGeneration } from '../enforceable-index.ts';
import type { RegistrationContributor, WebhookNeed } from './webhook-need.ts';

/** Where the objects are, and what they need. */
export interface IndexContributorOptions<T extends KubeObject> {
  readonly index: CollectionIndex<T>;
  /** Over the same index. */
  readonly enforceable: EnforceableIndex<T>;
  plan(objects: readonly T[]): readonly WebhookNeed[];
  /** Whether an object can bind as soon as its needs are registered; absent: every one can. */
  isReady?(object: T): boolean;
}

/** Needs that follow from the objects of one kind, those of them that can be acted on. */
export class IndexContributor<T extends KubeObject> implements RegistrationContributor {
  readonly #options: IndexContributorOptions<T>;

  constructor(options: IndexContributorOptions<T>) {
    this.#options = options;
  }

  start(): Promise<void> {
    return this.#options.index.start();
  }

  close(): Promise<void> {
    return this.#options.index.close();
  }

  listNeeds(): readonly WebhookNeed[] {
    return this.#options.plan(this.#options.enforceable.list());
  }

  listGoverning(): readonly KubeObject[] {
    return this.#options.enforceable.list().filter((object) => this.#isReady(object));
  }

  subscribe(listener: () => void): () => void {
    return this.#options.enforceable.subscribe(({ object, previous }) => {
      // Statuses change with every charge, and nothing that is registered hangs on them.
      const isOther = object === undefined || previous === undefined || !isSameGeneration(object, previous);
      if (isOther || this.#isReady(object) !== this.#isReady(previous)) listener();
    });
  }

  #isReady(object: T): boolean {
    return this.#options.isReady?.(object) ?? true;
  }
}

/** Needs that are always there. */
export function makeConstantContributor(needs: readonly WebhookNeed[]): RegistrationContributor {
  return {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    listNeeds: () => needs,
    listGoverning: () => [],
    subscribe: () => () => undefined,
  };
}
