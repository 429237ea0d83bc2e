import { listPages } from '../../admission/list-all.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { parseTime } from '../../core/time/time.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { ExpiringCache } from '../../platform/process/expiring-cache.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';

const LIFE_MILLIS = 5_000;
const namespaces = { group: '', version: 'v1', resource: 'namespaces' } as const;

function readCreation({ metadata }: KubeObject): number {
  // One that tells no time is taken for new: what is older than it is nobody's.
  return parseTime(metadata.creationTimestamp ?? '') ?? Number.POSITIVE_INFINITY;
}

/** When namespaces were made, in milliseconds since the epoch. */
export class NamespaceOrigins {
  readonly #client: ResourceClient;
  readonly #all: ExpiringCache<ReadonlyMap<string, number>>;

  constructor({ client, clock }: { readonly client: ResourceClient; readonly clock: Clock }) {
    this.#client = client;
    this.#all = new ExpiringCache({ clock, maxEntries: 1, lifeMillis: () => LIFE_MILLIS });
  }

  /** That of one namespace, as of now; `undefined` when there is none. */
  async read(name: string): Promise<number | undefined> {
    const namespace = await getIfPresent(this.#client, { resource: namespaces, name });
    return namespace === undefined ? undefined : readCreation(namespace);
  }

  /** Those of all, some seconds old at most. */
  list(): Promise<ReadonlyMap<string, number>> {
    return this.#all.find('all', async () => {
      const found = new Map<string, number>();
      for await (const page of listPages(this.#client, { resource: namespaces })) {
        for (const namespace of page) found.set(namespace.metadata.name ?? '', readCreation(namespace));
      }
      return found;
    });
  }
}
