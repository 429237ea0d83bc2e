import type { KubeObject } from '../../core/meta/kube-object.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { openHostConnection } from '../../platform/kube/open-host-connection.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { createHostResourceClient } from '../../platform/resources/host-resource-client.ts';

/** A pod, as far as a drain is about it. */
export interface DrainedPod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The pods of a namespace, revision by revision. */
export interface FollowedPods {
  /** Those that are there now, as far as heard. */
  readonly pods: readonly DrainedPod[];
  /** How many were ready, and not being deleted, after every change since `startCounting`, in order. Throws when changes were missed. */
  readonly readyCounts: readonly number[];
  startCounting(): void;
  stop(): Promise<void>;
}

/** Whether a pod serves: ready, and not on its way out. */
export function isServing({ metadata, status }: DrainedPod): boolean {
  const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return isReady === true && metadata.deletionTimestamp === undefined;
}

/** Follows the pods of a namespace that has none yet. */
export async function followPods(kubeconfig: string, namespace: string): Promise<FollowedPods> {
  const connection = await openHostConnection({
    ...{ kubeconfig, clock: systemClock, logger: createSilentLogger(), userAgent: 'test' },
  });
  const registry = buildKindRegistry('example.com');
  const client = createHostResourceClient({ connection, registry, clock: systemClock });
  const reference = { resource: { group: '', version: 'v1', resource: 'pods' }, namespace };
  const { metadata } = await client.list(reference);
  const ending = new AbortController();
  const present = new Map<string, DrainedPod>();
  let counts: number[] = [];
  let failure: unknown;
  const countReady = (): number => [...present.values()].filter(isServing).length;
  const following = (async () => {
    let resourceVersion = metadata.resourceVersion ?? '';
    while (!ending.signal.aborted) {
      const options = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 3_600, signal: ending.signal };
      for await (const { type, object } of client.watch(reference, options)) {
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        if (type === 'BOOKMARK') continue;
        if (type === 'DELETED') present.delete(object.metadata.uid ?? '');
        else present.set(object.metadata.uid ?? '', object);
        counts.push(countReady());
      }
    }
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) failure = error;
  });
  return {
    get pods() {
      return [...present.values()];
    },
    get readyCounts() {
      if (failure !== undefined) throw new Error('pods could not be followed', { cause: failure });
      return counts;
    },
    startCounting() {
      counts = [countReady()];
    },
    async stop() {
      ending.abort();
      await following;
      connection.close();
    },
  };
}
