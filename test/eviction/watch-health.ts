import { buildKindRegistry } from '../../kinds/registry.ts';
import { openHostConnection } from '../../platform/kube/open-host-connection.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createLogger } from '../../platform/process/logger.ts';
import { createHostResourceClient } from '../../platform/resources/host-resource-client.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { HealthHistory } from './health-history.ts';

/** The health of pods at every revision, as far as it was seen. */
export interface WatchedHealth {
  read(namespace: string): ReturnType<HealthHistory['read']>;
  /** Healthy pods at the newest revision that was seen. */
  countNow(namespace: string): number;
  /** Resolves as soon as a budget of the namespace is charged for a pod, or after some seconds. */
  awaitCharge(namespace: string): Promise<void>;
  stop(): Promise<void>;
}

const budgets = { group: 'policy.bailiwick.dev', version: 'v1', resource: 'poddisruptionbudgets' };
const longestMillis = 5_000;

/** Follows the pods of a cluster from now on. Reading throws when events were missed. */
export async function watchHealth(cluster: Cluster): Promise<WatchedHealth> {
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
  const history = new HealthHistory();
  const ending = new AbortController();
  let failure: unknown;
  const following = (async () => {
    let resourceVersion = metadata.resourceVersion ?? '';
    while (!ending.signal.aborted) {
      const options = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 3_600, signal: ending.signal };
      for await (const { type, object } of client.watch(reference, options)) {
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        if (type !== 'BOOKMARK') history.note(type, object);
      }
    }
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) failure = error;
  });
  const check = (): void => {
    if (failure !== undefined) throw new Error('pods could not be followed', { cause: failure });
  };
  return {
    read(namespace) {
      check();
      return history.read(namespace);
    },
    countNow(namespace) {
      check();
      return history.countNow(namespace);
    },
    async awaitCharge(namespace) {
      const reached = AbortSignal.any([ending.signal, AbortSignal.timeout(longestMillis)]);
      try {
        for await (const { object } of client.watch({ resource: budgets, namespace }, { signal: reached })) {
          const { status } = object as unknown as { status?: { disruptedPods?: object } };
          if (Object.keys(status?.disruptedPods ?? {}).length > 0) return;
        }
      } catch (error) {
        if (!reached.aborted) throw error;
      }
    },
    async stop() {
      ending.abort();
      await following;
      connection.close();
    },
  };
}
