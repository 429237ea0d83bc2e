import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatLabelsAt, shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readItems, readTextList, readNumber, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { serviceRules } from './rules.ts';

function formatPorts(service: KubeObject): string {
  const ports = readItems(service, 'spec', 'ports').map((port) => {
    const nodePort = readNumber(port, 'nodePort') ?? 0;
    const ends = `${readNumber(port, 'port') ?? 0}${nodePort > 0 ? `:${nodePort}` : ''}`;
    return `${ends}/${readText(port, 'protocol')}`;
  });
  return ports.join(',') || '<none>';
}

function formatExternalIp(service: KubeObject): string {
  const externalIps = readTextList(service, 'spec', 'externalIPs').join(',');
  switch (readText(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIps || '<none>';
    case 'ExternalName':
      return readText(service, 'spec', 'externalName');
    case 'LoadBalancer': {
      const ingress = readItems(service, 'status', 'loadBalancer', 'ingress');
      const addresses = ingress.map((point) => readText(point, 'ip') || readText(point, 'hostname'));
      const distinct = [...new Set(addresses.filter((address) => address !== ''))].sort().join(',');
      return [distinct, externalIps].filter((text) => text !== '').join(',') || '<pending>';
    }
    default:
      return '<unknown>';
  }
}

/** Service: a name and ports for a set of pods. */
export const serviceKind: KindDefinition = defineWorkloadKind({
  kind: 'Service',
  group: '',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  columns: [
    nameColumn,
    shownColumn('Type'),
    shownColumn('Cluster-IP'),
    shownColumn('External-IP'),
    shownColumn('Port(s)'),
    ageColumn,
    wideColumn('Selector'),
  ],
  printRow: (service, now) => [
    nameOf(service),
    readText(service, 'spec', 'type'),
    readText(service, 'spec', 'clusterIPs', 0) || '<none>',
    formatExternalIp(service),
    formatPorts(service),
    ageOf(service, now),
    formatLabelsAt(service, 'spec', 'selector'),
  ],
  status: true,
  selectableFields: {
    'spec.clusterIP': (service) => readText(service, 'spec', 'clusterIP'),
    'spec.type': (service) => readText(service, 'spec', 'type'),
  },
  rules: serviceRules,
  returnsDeletedObject: true,
  description: 'A name and ports for a set of pods.',
});
