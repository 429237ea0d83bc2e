import { FieldPath } from '../../../core/errors/field-path.ts';
import type { NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from './schema.ts';

/** One rule of either direction, with the paths of its parts. */
export interface PlacedRule {
  readonly ports: readonly NetworkPolicyPort[];
  readonly portsPath: FieldPath;
  readonly peers: readonly NetworkPolicyPeer[];
  readonly peersPath: FieldPath;
}

/** The rules of both directions, ingress first. */
export function listRules(spec: NetworkPolicySpec): PlacedRule[] {
  const path = FieldPath.root('spec');
  const ingress = (spec.ingress ?? []).map((rule, i) => {
    const at = path.child('ingress').index(i);
    return {
      ports: rule.ports ?? [],
      portsPath: at.child('ports'),
      peers: rule.from ?? [],
      peersPath: at.child('from'),
    };
  });
  const egress = (spec.egress ?? []).map((rule, i) => {
    const at = path.child('egress').index(i);
    return { ports: rule.ports ?? [], portsPath: at.child('ports'), peers: rule.to ?? [], peersPath: at.child('to') };
  });
  return [...ingress, ...egress];
}

/** Every range that the policy names, with its path: for each block its cidr, then its exceptions. */
export function listCidrs(spec: NetworkPolicySpec): { value: string; path: FieldPath }[] {
  return listRules(spec).flatMap(({ peers, peersPath }) =>
    peers.flatMap(({ ipBlock }, i) => {
      if (ipBlock === undefined) return [];
      const path = peersPath.index(i).child('ipBlock');
      const except = (ipBlock.except ?? []).map((value, j) => ({ value, path: path.child('except').index(j) }));
      return [{ value: ipBlock.cidr, path: path.child('cidr') }, ...except];
    }),
  );
}
