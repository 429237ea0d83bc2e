import {
  makePresenceLease,
  parseVersion,
  presenceMillis,
  type SeenVersions,
} from '../../admission/registrations/replica-presence.ts';
import { isSameGeneration } from '../../admission/enforceable-index.ts';
import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject, OwnerReference } from '../../core/meta/kube-object.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { CollectionIndex } from '../../platform/resources/collection-index.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';

/** A collection of whatever objects. */
type Followed = Pick<CollectionIndex, 'list' | 'subscribe'>;

/** What a replica tells of, and by which Lease. */
export interface PresencePublisherOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly policies: Followed;
  readonly bindings: Followed;
  readonly release: string;
  readonly namespace: string;
  /** Of the Lease; different for every process. */
  readonly name: string;
  readonly identity: string;
  /** What the Lease is to go with; `undefined`: nothing. */
  readonly owner: OwnerReference | undefined;
}

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const collections = ['policies', 'bindings'] as const;
const renewMillis = presenceMillis / 4;
/** Changes often come together. */
const gatherMillis = 50;

/** Tells the operator by a Lease which policies and bindings this replica judges by, at each change and so often that it is known to be there. */
export class PresencePublisher {
  readonly #options: PresencePublisherOptions;
  readonly #ends: (() => void)[] = [];
  #seen: SeenVersions = { policies: 0n, bindings: 0n };
  #isKnown = false;
  /** Whether the Lease is there. */
  #isMade = false;
  #isClosed = false;
  #cancel: () => void = () => undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: PresencePublisherOptions) {
    this.#options = options;
    for (const collection of collections) {
      this.#ends.push(
        options[collection].subscribe(({ object, previous }) => {
          this.#see(collection, object ?? previous);
          const isStatus = object !== undefined && previous !== undefined && isSameGeneration(object, previous);
          if (!isStatus && this.#isKnown) this.#schedule(gatherMillis);
        }),
      );
    }
  }

  /** Begins to tell; the collections must be known by then. */
  start(): void {
    for (const collection of collections) {
      for (const object of this.#options[collection].list()) this.#see(collection, object);
    }
    this.#isKnown = true;
    this.#schedule(0);
  }

  /** Tells no more, and removes the Lease. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#ends) end();
    this.#cancel();
    await this.#writing;
    const { client, namespace, name } = this.#options;
    // What cannot be removed goes with its owner, or as an old one.
    await client.delete({ resource: leases, namespace, name }).catch(() => undefined);
  }

  #see(collection: keyof SeenVersions, object: KubeObject | undefined): void {
    const version = parseVersion(object?.metadata.resourceVersion);
    if (version > this.#seen[collection]) this.#seen = { ...this.#seen, [collection]: version };
  }

  #schedule(delayMillis: number): void {
    if (this.#isClosed) return;
    this.#cancel();
    this.#cancel = this.#options.clock.schedule(delayMillis, () => {
      this.#writing = this.#writing.then(() => this.#write());
    });
  }

  async #write(): Promise<void> {
    const { client, clock, logger, namespace, name } = this.#options;
    const lease = makePresenceLease({ ...this.#options, seen: this.#seen, nowMillis: clock.now() });
    this.#schedule(renewMillis);
    const patch = { metadata: { annotations: lease.metadata.annotations ?? {} }, spec: { ...lease.spec } };
    try {
      if (this.#isMade) {
        await client.patch({ resource: leases, namespace, name }, 'application/merge-patch+json', patch);
      } else {
        await client.create({ resource: leases, namespace }, lease);
        this.#isMade = true;
      }
    } catch (error) {
      if (hasReason(error, 'NotFound')) this.#isMade = false;
      else if (hasReason(error, 'AlreadyExists')) this.#isMade = true;
      else logger.warn({ err: error }, 'what is judged by could not be told, trying again');
    }
  }
}
