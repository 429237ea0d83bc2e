import type { Lease } from '../../platform/kube/lease.ts';
import type { OwnerReference } from '../../core/meta/kube-object.ts';
import { formatMicroTime } from '../../core/time/time.ts';

/** Where an agent's Lease is and what it says. */
export interface LeaseIdentity {
  readonly namespace: string;
  readonly name: string;
  /** The node's name. */
  readonly holder: string;
  readonly durationSeconds: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Those without a value are taken away. */
  readonly annotations: Readonly<Record<string, string | undefined>>;
}

function merge(
  old: Record<string, string> | undefined,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> | undefined {
  if (Object.keys(own).length === 0) return old;
  const merged = Object.entries({ ...old, ...own });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * The Lease as it must be written now: a new one, or `base` with what the agent says of itself; what others wrote there stays. `owner` is
 * set where there is none yet.
 */
export function planLease(
  identity: LeaseIdentity,
  base: Lease | undefined,
  owner: OwnerReference | undefined,
  nowMillis: number,
): Lease {
  const { durationSeconds, holder, name, namespace } = identity;
  const metadata = base?.metadata ?? { name, namespace };
  const labels = merge(metadata.labels, identity.labels);
  const annotations = merge(metadata.annotations, identity.annotations);
  const hasOwner = (metadata.ownerReferences ?? []).length > 0;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...metadata,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(owner === undefined || hasOwner ? {} : { ownerReferences: [owner] }),
    },
    spec: {
      ...base?.spec,
      holderIdentity: holder,
      leaseDurationSeconds: durationSeconds,
      renewTime: formatMicroTime(nowMillis),
    },
  };
}
