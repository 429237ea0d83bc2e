import type { NetworkPolicy } from './schema.ts';

/** The protocol of a port is TCP; the types are Ingress, and Egress too when there are egress rules. In place. */
export function applyNetworkPolicyDefaults({ spec }: NetworkPolicy): void {
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
  }
  if ((spec.policyTypes ?? []).length === 0) {
    spec.policyTypes = (spec.egress ?? []).length === 0 ? ['Ingress'] : ['Ingress', 'Egress'];
  }
}
