import { formatMicroTime } from '../../core/time/time.ts';
import type { OwnerReference } from '../../core/meta/kube-object.ts';
import type { Lease } from '../../platform/kube/lease.ts';

/** Up to which resourceVersion a replica of the webhooks has seen policies and bindings. */
export interface SeenVersions {
  readonly policies: bigint;
  readonly bindings: bigint;
}

/** How long a replica that is silent counts as one that judges. */
export const presenceMillis = 15_000;

const annotationKeys = { policies: 'bailiwick.dev/seen-policies', bindings: 'bailiwick.dev/seen-bindings' } as const;

/** Labels of the Leases by which the replicas of a release's webhooks tell what they have seen. */
function makePresenceLabels(release: string): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'bailiwick',
    'app.kubernetes.io/instance': release,
    'app.kubernetes.io/component': 'webhooks-presence',
  };
}

/** The label selector for them. */
export function formatPresenceSelector(release: string): string {
  return Object.entries(makePresenceLabels(release))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** What a replica tells. */
export interface PresenceFacts {
  readonly release: string;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly seen: SeenVersions;
  readonly nowMillis: number;
  /** What the Lease is to go with; `undefined`: nothing. */
  readonly owner: OwnerReference | undefined;
}

/** The Lease of a replica that judges by what it has seen. */
export function makePresenceLease(facts: PresenceFacts): Lease {
  const { release, namespace, name, identity, seen, nowMillis, owner } = facts;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...{ name, namespace, labels: makePresenceLabels(release) },
      annotations: {
        [annotationKeys.policies]: String(seen.policies),
        [annotationKeys.bindings]: String(seen.bindings),
      },
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: presenceMillis / 1_000,
      renewTime: formatMicroTime(nowMillis),
    },
  };
}

/** A resourceVersion as a number; 0 for what is none. */
export function parseVersion(text: string | undefined): bigint {
  return text !== undefined && /^\d{1,30}$/.test(text) ? BigInt(text) : 0n;
}

/** What the replica of a Lease has seen; nothing where the Lease does not say. */
export function readPresenceLease({ metadata }: Lease): SeenVersions {
  const { annotations = {} } = metadata;
  return {
    policies: parseVersion(annotations[annotationKeys.policies]),
    bindings: parseVersion(annotations[annotationKeys.bindings]),
  };
}
