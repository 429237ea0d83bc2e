import type { OwnerReference } from '../../core/meta/kube-object.ts';
import type { Taint } from '../../kinds/core/node/node-object.ts';
import { EventRecorder } from '../../platform/kube/event-recorder.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { NodeRegistration } from '../registration/node-registration.ts';
import type { NodeStatusSource } from '../status/node-status-source.ts';
import { NodeLease } from './node-lease.ts';

/** As much of the agent's configuration as its presence depends on. */
export interface PresenceConfiguration {
  readonly nodeLeaseDurationSeconds: number;
  readonly nodeStatusUpdateFrequencyMillis: number;
  readonly nodeStatusReportFrequencyMillis: number;
  readonly registerNode: boolean;
  readonly registerWithTaints: readonly Taint[];
  readonly providerId: string;
}

/** Who is present, and where that is told. */
export interface PresenceOptions {
  /** `beside` a kubelet that owns the node, or as its `owner`. */
  readonly mode: 'beside' | 'owner';
  readonly domain: string;
  /** Of the Lease, beside a kubelet. */
  readonly namespace: string;
  /** Where the agent serves now: `https://ADDRESS:PORT`; `undefined` while nobody can reach it. */
  readonly readEndpoint: () => string | undefined;
  readonly client: ResourceClient;
  readonly status: NodeStatusSource;
  readonly configuration: PresenceConfiguration;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Registry;
}

/** A presence that is told. */
export interface Presence {
  /** Ends it; the Lease and the Node stay, and tell by their age that the agent is gone. */
  stop(): Promise<void>;
}

const nodes = { group: '', version: 'v1', resource: 'nodes' };
const ownerRetryMillis = 300_000;

/**
 * Tells the API that the agent is there: by a Lease with its address and, for a node without a kubelet, by the Node itself and its status.
 * Neither waits nor throws; what does not succeed is tried again.
 */
export function startPresence(options: PresenceOptions): Presence {
  const { client, clock, configuration, logger, mode, status } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const running: Promise<void>[] = [];
  const lease = new NodeLease({
    client,
    identity: nameLease(options),
    readAnnotations: () => ({ [`node.${options.domain}/agent-endpoint`]: options.readEndpoint() }),
    findOwner: findNode(options),
    needsOwner: mode === 'owner',
    clock,
    logger,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  });
  running.push(lease.run(signal));
  if (mode === 'owner') {
    const events = new EventRecorder({
      client,
      clock,
      logger,
      component: 'bailiwick-agent',
      instance: status.nodeName,
    });
    const registration = new NodeRegistration({
      client,
      source: status,
      settings: configuration.registerNode
        ? { domain: options.domain, taints: configuration.registerWithTaints, providerId: configuration.providerId }
        : undefined,
      updateMillis: configuration.nodeStatusUpdateFrequencyMillis,
      reportMillis: configuration.nodeStatusReportFrequencyMillis,
      events,
      clock,
      logger,
    });
    running.push(registration.run(signal).then(() => events.close()));
  }
  return {
    async stop() {
      controller.abort();
      await Promise.all(running);
    },
  };
}

function nameLease({ configuration, mode, namespace, status }: PresenceOptions) {
  return {
    namespace: mode === 'owner' ? 'kube-node-lease' : namespace,
    name: mode === 'owner' ? status.nodeName : `bailiwick-agent-${status.nodeName}`,
    holder: status.nodeName,
    durationSeconds: configuration.nodeLeaseDurationSeconds,
    labels: { 'app.kubernetes.io/component': 'agent' },
  };
}

/** Finds the Node that the Lease goes with; who may not look, or has none, is not asked again for a while. */
function findNode({ client, clock, mode, status }: PresenceOptions): () => Promise<OwnerReference | undefined> {
  let askedMillis = -Infinity;
  return async () => {
    const ageMillis = clock.now() - askedMillis;
    if (ageMillis >= 0 && ageMillis < ownerRetryMillis) return undefined;
    if (mode === 'beside') askedMillis = clock.now();
    const { metadata } = await client.get({ resource: nodes, name: status.nodeName });
    if (metadata.uid === undefined) return undefined;
    askedMillis = -Infinity;
    return { apiVersion: 'v1', kind: 'Node', name: status.nodeName, uid: metadata.uid };
  };
}
