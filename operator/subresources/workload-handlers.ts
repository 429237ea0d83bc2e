import type { KubeObject } from '../../core/meta/kube-object.ts';
import { approvalRules } from '../../kinds/certificates/certificate-signing-request/rules.ts';
import { ephemeralContainersStrategy, resizeStrategy } from '../../kinds/core/pod/partial-strategies.ts';
import type { WriteStrategy } from '../../kinds/kind-definition.ts';
import { buildStatusStrategy } from '../../kinds/workloads/define-workload-kind.ts';
import type { EvictionQueue } from '../../admission/eviction/eviction-queue.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { SubresourceHandler, UpdateHandler } from '../apiserver/subresource-handler.ts';
import { createBindingHandler, createPodBindingHandler } from './pod-binding-handler.ts';
import { createPodEvictionHandler } from './pod-eviction-handler.ts';

function serveUpdates(
  group: string,
  resource: string,
  subresource: string,
  strategy: WriteStrategy<KubeObject>,
): UpdateHandler {
  return { type: 'update', target: { group, version: 'v1', resource, subresource }, strategyFor: () => strategy };
}

/** What handlers of workload kinds need. */
export interface WorkloadHandlersOptions {
  readonly clock: Clock;
  readonly evictions: EvictionQueue;
}

/** Handlers of the subresources of workload kinds that are neither `/status` nor `/scale`. */
export function createWorkloadHandlers({ clock, evictions }: WorkloadHandlersOptions): SubresourceHandler[] {
  return [
    createBindingHandler(clock),
    createPodBindingHandler(clock),
    createPodEvictionHandler({ clock, evictions }),
    serveUpdates('', 'pods', 'ephemeralcontainers', ephemeralContainersStrategy),
    serveUpdates('', 'pods', 'resize', resizeStrategy),
    serveUpdates('certificates.k8s.io', 'certificatesigningrequests', 'approval', buildStatusStrategy(approvalRules)),
  ];
}
