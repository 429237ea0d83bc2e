import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatSome, shownColumn } from '../../workloads/format-cells.ts';
import { readItems, readNumber, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { endpointsRules } from './rules.ts';

function formatEndpoints(object: KubeObject): string {
  const points: string[] = [];
  for (const subset of readItems(object, 'subsets')) {
    const addresses = readItems(subset, 'addresses').map((address) => readText(address, 'ip'));
    const ports = readItems(subset, 'ports').map((port) => readNumber(port, 'port') ?? 0);
    if (ports.length === 0) points.push(...addresses);
    for (const port of ports)
      points.push(...addresses.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)));
  }
  return formatSome(points, readItems(object, 'subsets').length === 0 ? '<none>' : '');
}

/** Endpoints: the addresses behind a service. */
export const endpointsKind: KindDefinition = defineWorkloadKind({
  kind: 'Endpoints',
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  group: '',
  plural: 'endpoints',
  shortNames: ['ep'],
  columns: [nameColumn, shownColumn('Endpoints'), ageColumn],
  printRow: (object, now) => [nameOf(object), formatEndpoints(object), ageOf(object, now)],
  rules: endpointsRules,
  description: 'The addresses behind a service.',
});
