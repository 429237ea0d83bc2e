import type { KubeObject } from '../../core/meta/kube-object.ts';

/** Spec of a Lease, as coordination.k8s.io/v1 has it; times have microseconds. */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** A coordination.k8s.io/v1 Lease. */
export interface Lease extends KubeObject {
  spec: LeaseSpec;
}
