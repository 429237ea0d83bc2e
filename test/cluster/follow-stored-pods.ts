import { buildKindRegistry } from '../../kinds/registry.ts';
import { openHostConnection } from '../../platform/kube/open-host-connection.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createLogger } from '../../platform/process/logger.ts';
import { createHostResourceClient } from '../../platform/resources/host-resource-client.ts';
import type { ResourceClient, WatchEvent } from '../../platform/resources/resource-client.ts';
import type { Cluster } from './start-cluster.ts';

/** Pods of a cluster that are followed, one event after the other, in the order of the store. */
export interface FollowedPods {
  /** Acts as the cluster's administrator. */
  readonly client: ResourceClient;
  /** Aborts when following ends. */
  readonly signal: AbortSignal;
  /** Throws when events were missed. */
  check(): void;
  stop(): Promise<void>;
}

/** Tells `note` of every change of a pod from now on, across the ends of watches. */
export async function followStoredPods(cluster: Cluster, note: (event: WatchEvent) => void): Promise<FollowedPods> {
  const logger = createLogger({ level: 'silent', program: 'test' });
  const connection = await openHostConnection({
    ...{ kubeconfig: cluster.kubeconfig, clock: systemClock, logger, userAgent: 'test' },
  });
  const registry = buildKindRegistry('example.com');
  const client = createHostResourceClient({ connection, registry, clock: systemClock });
  const reference = { resource: { group: '', version: 'v1', resource: 'pods' } };
  const { metadata } = await client.list(reference);
  const ending = new AbortController();
  let failure: unknown;
  const following = (async () => {
    let resourceVersion = metadata.resourceVersion ?? '';
    while (!ending.signal.aborted) {
      const options = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 3_600, signal: ending.signal };
      for await (const event of client.watch(reference, options)) {
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        if (event.type !== 'BOOKMARK') note(event);
      }
    }
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) failure = error;
  });
  return {
    client,
    signal: ending.signal,
    check() {
      if (failure !== undefined) throw new Error('pods could not be followed', { cause: failure });
    },
    async stop() {
      ending.abort();
      await following;
      connection.close();
    },
  };
}
