import type { KubeObject } from '../../../core/meta/kube-object.ts';

function readLabel(labels: Readonly<Record<string, string>>, older: string, newer: string): string {
  return (Object.hasOwn(labels, older) ? labels[older] : labels[newer]) ?? '';
}

/** Where a node stands, as `REGION/ZONE` of its topology labels; empty when they say nothing. */
export function findZone(node: KubeObject): string {
  const labels = node.metadata.labels ?? {};
  const zone = readLabel(labels, 'failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone');
  const region = readLabel(labels, 'failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region');
  // No label's value has a slash.
  return zone === '' && region === '' ? '' : `${region}/${zone}`;
}
