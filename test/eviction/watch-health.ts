import { followStoredPods } from '../cluster/follow-stored-pods.ts';
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
  const history = new HealthHistory();
  const pods = await followStoredPods(cluster, ({ type, object }) => history.note(type, object));
  return {
    read(namespace) {
      pods.check();
      return history.read(namespace);
    },
    countNow(namespace) {
      pods.check();
      return history.countNow(namespace);
    },
    async awaitCharge(namespace) {
      const reached = AbortSignal.any([pods.signal, AbortSignal.timeout(longestMillis)]);
      try {
        for await (const { object } of pods.client.watch({ resource: budgets, namespace }, { signal: reached })) {
          const { status } = object as unknown as { status?: { disruptedPods?: object } };
          if (Object.keys(status?.disruptedPods ?? {}).length > 0) return;
        }
      } catch (error) {
        if (!reached.aborted) throw error;
      }
    },
    stop: () => pods.stop(),
  };
}
