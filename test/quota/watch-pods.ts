import { followStoredPods } from '../cluster/follow-stored-pods.ts';
import type { Cluster } from '../cluster/start-cluster.ts';

/** Every pod that is ever stored, in the order of the store. */
export interface PodHistory {
  /** The most pods that a namespace had at one time. Throws when events were missed. */
  findMost(namespace: string): number;
  stop(): Promise<void>;
}

/** Follows the pods of a cluster that has none yet. */
export async function watchPods(cluster: Cluster): Promise<PodHistory> {
  const present = new Map<string, Set<string>>();
  const most = new Map<string, number>();
  const pods = await followStoredPods(cluster, ({ type, object }) => {
    const { namespace = '', uid = '' } = object.metadata;
    const uids = present.get(namespace) ?? new Set();
    if (type === 'ADDED') uids.add(uid);
    if (type === 'DELETED') uids.delete(uid);
    present.set(namespace, uids);
    most.set(namespace, Math.max(most.get(namespace) ?? 0, uids.size));
  });
  return {
    findMost(namespace) {
      pods.check();
      return most.get(namespace) ?? 0;
    },
    stop: () => pods.stop(),
  };
}
