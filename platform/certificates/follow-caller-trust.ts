import type { X509Certificate } from 'node:crypto';

import type { ResourceName } from '../../core/meta/resource-name.ts';
import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import { CollectionIndex } from '../resources/collection-index.ts';
import type { ResourceClient } from '../resources/resource-client.ts';
import type { CallerTrust, CallerTrustSource } from './caller-trust.ts';
import { readCaBundle } from './certificate-objects.ts';
import type { ApiServiceObject, WebhookConfigurationObject } from './certificate-objects.ts';
import { observeTrust } from './observe-trust.ts';

/** An object that tells the host how to call a service. */
type CallingObject = WebhookConfigurationObject & ApiServiceObject;

/** Which objects to follow, and what to follow them with. */
export interface FollowedCallerTrustOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly objects: readonly { readonly resource: ResourceName; readonly name: string }[];
}

/** A bundle for each way to call; one that checks nothing is left out, and one that cannot be read is empty. */
function listBundles({ webhooks, spec }: CallingObject): X509Certificate[][] {
  if (webhooks !== undefined) return webhooks.map(({ clientConfig }) => readCaBundle(clientConfig?.caBundle));
  // Nobody is called by an APIService without an authority, and waiting for one could be for ever: only who is ready comes to lead and writes it.
  if (spec?.caBundle === undefined || spec.caBundle === '') return [];
  return spec.insecureSkipTLSVerify === true ? [] : [readCaBundle(spec.caBundle)];
}

/** What the host's API servers trust when they call a service, by the objects that say so, followed through the API. */
export class FollowedCallerTrust implements CallerTrustSource {
  readonly #followed: readonly { readonly name: string; readonly index: CollectionIndex<CallingObject> }[];
  readonly #listeners = new Set<() => void>();
  #current: CallerTrust | undefined;

  constructor({ client, clock, logger, objects }: FollowedCallerTrustOptions) {
    this.#followed = objects.map(({ resource, name }) => {
      const index = new CollectionIndex<CallingObject>({
        ...{ client, clock, reference: { resource }, fieldSelector: `metadata.name=${name}` },
        onFailure: (error) =>
          logger.warn({ resource: resource.resource, name, err: error }, 'following what callers trust failed'),
      });
      index.subscribe(() => {
        // What one object says is not all while another has not been seen.
        if (this.#current !== undefined) this.#look(clock.now());
      });
      return { name, index };
    });
  }

  /** Begins to follow; resolves when it is known what callers trust. */
  async start(): Promise<void> {
    await Promise.all(this.#followed.map(({ index }) => index.start()));
    this.#look(Number.NEGATIVE_INFINITY);
  }

  current(): CallerTrust | undefined {
    return this.#current;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends following; what was known last stays. */
  async close(): Promise<void> {
    this.#listeners.clear();
    await Promise.all(this.#followed.map(({ index }) => index.close()));
  }

  #look(sinceMillis: number): void {
    const bundles = this.#followed.flatMap(({ name, index }) => {
      const object = index.get(name);
      return object === undefined ? [] : listBundles(object);
    });
    const before = this.#current?.trustedSinceMillis ?? new Map<string, number>();
    const trustedSinceMillis = observeTrust(before, bundles.flat(), bundles, sinceMillis);
    this.#current = { bundles, trustedSinceMillis };
    for (const listener of this.#listeners) listener();
  }
}
