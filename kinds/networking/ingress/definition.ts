import { deriveSchema } from '../../derive-schema.ts';
import { formatAge } from '../../format-age.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, column, nameColumn } from '../../printer-columns.ts';
import { ingressCrd } from './crd.ts';
import { ingressSchema } from './schema.ts';
import type { Ingress } from './schema.ts';
import { ingressStrategy } from './strategy.ts';

const HOSTS_SHOWN = 3;

// Counts rules, not hosts, beyond the third host: so `kubectl get` has it from Kubernetes.
function formatHosts({ spec }: Ingress): string {
  const rules = spec.rules ?? [];
  const hosts: string[] = [];
  let hasMore = false;
  for (const { host = '' } of rules) {
    if (hosts.length === HOSTS_SHOWN) hasMore = true;
    else if (host !== '') hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return hasMore ? `${hosts.join(',')} + ${rules.length - HOSTS_SHOWN} more...` : hosts.join(',');
}

function formatAddress({ status }: Ingress): string {
  const points = (status.loadBalancer.ingress ?? []).map(({ ip = '', hostname = '' }) => ip || hostname);
  return [...new Set(points.filter((point) => point !== ''))].sort().join(',');
}

/** Ingress: rules by which inbound connections reach backends. */
export const ingressKind: KindDefinition<Ingress> = {
  kind: 'Ingress',
  groupTemplate: 'networking.{domain}',
  version: 'v1',
  plural: 'ingresses',
  storedAs: 'ingress',
  singular: 'ingress',
  shortNames: ['ing'],
  categories: [],
  namespaced: true,
  schema: deriveSchema(ingressSchema),
  strategy: ingressStrategy,
  crd: ingressCrd,
  columns: [
    nameColumn,
    column('Class', 'string', 'IngressClass whose controller serves this.'),
    column('Hosts', 'string', 'Hosts that the rules are for.'),
    column('Address', 'string', 'Points where traffic enters.'),
    column('Ports', 'string', 'Ports that are open: 443 with TLS.'),
    ageColumn,
  ],
  printRow: (ingress, nowMillis) => [
    ingress.metadata.name ?? '',
    ingress.spec.ingressClassName ?? '<none>',
    formatHosts(ingress),
    formatAddress(ingress),
    (ingress.spec.tls ?? []).length === 0 ? '80' : '80, 443',
    formatAge(ingress.metadata.creationTimestamp, nowMillis),
  ],
  description: 'Lets connections from outside reach backends.',
};
