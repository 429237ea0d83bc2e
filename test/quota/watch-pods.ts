import { buildKindRegistry } from '../../kinds/registry.ts';
import { openHostConnection } from '../../platform/kube/open-host-connection.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createLogger } from '../../platform/process/logger.ts';
import { createHostResourceClient } from '../../platform/resources/host-resource-client.ts';
import type { Cluster } from '../cluster/start-cluster.ts';

/** Every pod that is ever stored, in the order of the store. */
export interface PodHistory {
  /** The most pods that a namespace had at one time. */
  findMost(namespace: string): number;
  stop(): Promise<void>;
}

/** Follows the pods of a cluster that has none yet. Throws at the end when events were missed. */
export async function watchPods(cluster: Cluster): Promise<PodHistory> {
  const logger = createLogger({ level: 'silent', program: 'test' });
  const connection = await openHostConnection({
    ...{ kubeconfig: cluster.kubeconfig, clock: systemClock, logger, userAgent: 'test' },
  });
  const client = createHostResourceClient({
    connection,
    registry: buildKindRegistry('example.com'),
    clock: systemClock,
  });
  const reference = { resource: { group: '', version: 'v1', resource: 'pods' } };
  const { metadata } = await client.list(reference);
  const ending = new AbortController();
  const present = new Map<string, Set<string>>();
  const most = new Map<string, number>();
  let failure: unknown;
  const following = (async () => {
    let resourceVersion = metadata.resourceVersion ?? '';
    while (!ending.signal.aborted) {
      const options = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 3_600, signal: ending.signal };
      for await (const { type, object } of client.watch(reference, options)) {
        const { namespace = '', uid = '' } = object.metadata;
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        const pods = present.get(namespace) ?? new Set();
        if (type === 'ADDED') pods.add(uid);
        if (type === 'DELETED') pods.delete(uid);
        present.set(namespace, pods);
        most.set(namespace, Math.max(most.get(namespace) ?? 0, pods.size));
      }
    }
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) failure = error;
  });
  return {
    findMost(namespace) {
      if (failure !== undefined) throw new Error('pods could not be followed', { cause: failure });
      return most.get(namespace) ?? 0;
    },
    async stop() {
      ending.abort();
      await following;
      connection.close();
    },
  };
}
