import {
  formatPresenceSelector,
  presenceMillis,
  readPresenceLease,
  type SeenVersions,
} from '../../../admission/registrations/replica-presence.ts';
import type { Lease } from '../../../platform/kube/lease.ts';
import { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import type { ControllerOptions } from '../controller-parts.ts';

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** The replicas of a release's webhooks, and what each has seen, by their Leases. One that has been silent for some seconds is left out. */
export class PresenceIndex {
  readonly #options: ControllerOptions;
  readonly #index: CollectionIndex<Lease>;
  /** What was last told of, so that a renewal alone is not. */
  #told = '';
  /** When a Lease last changed, by our own clock, by name. */
  readonly #changedMillis = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #cancel: () => void = () => undefined;

  constructor(options: ControllerOptions & { readonly namespace: string; readonly release: string }) {
    const { client, clock, logger, namespace, release } = options;
    this.#options = options;
    this.#index = new CollectionIndex<Lease>({
      ...{ client, clock, reference: { resource: leases, namespace } },
      labelSelector: formatPresenceSelector(release),
      onFailure: (error) =>
        logger.warn({ resource: 'leases', err: error }, 'following a collection failed, trying again'),
    });
    this.#index.subscribe(({ object, previous }) => {
      const { name = '' } = (object ?? previous)?.metadata ?? {};
      if (object === undefined) this.#changedMillis.delete(name);
      else this.#changedMillis.set(name, clock.now());
      this.#look();
    });
  }

  /** Resolves when the replicas are known. */
  async start(): Promise<void> {
    await this.#index.start();
    this.#lookAgain();
  }

  async close(): Promise<void> {
    this.#cancel();
    await this.#index.close();
  }

  /** What each replica that is there has seen. */
  list(): SeenVersions[] {
    return this.#index
      .list()
      .filter(({ metadata }) => this.#silence(metadata.name) < presenceMillis)
      .map(readPresenceLease);
  }

  /** Calls `listener` when this may have changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #silence(name = ''): number {
    return this.#options.clock.now() - (this.#changedMillis.get(name) ?? Number.NEGATIVE_INFINITY);
  }

  #look(): void {
    const told = this.list()
      .map(({ policies, bindings }) => `${policies}/${bindings}`)
      .toSorted()
      .join();
    if (told === this.#told) return;
    this.#told = told;
    for (const listener of this.#listeners) listener();
  }

  /** One that falls silent changes nothing that could be followed. */
  #lookAgain(): void {
    this.#cancel = this.#options.clock.schedule(presenceMillis, () => {
      this.#look();
      this.#lookAgain();
    });
  }
}
