import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readFlag, readItems, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { nodeRules } from './rules.ts';

const rolePrefix = 'node-role.kubernetes.io/';

function formatRoles(node: KubeObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return [...roles].sort().join(',') || '<none>';
}

function formatStatus(node: KubeObject): string {
  const ready = readItems(node, 'status', 'conditions').findLast((condition) => condition['type'] === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return readFlag(node, 'spec', 'unschedulable') ? `${state},SchedulingDisabled` : state;
}

function findAddress(node: KubeObject, type: string): string {
  const found = readItems(node, 'status', 'addresses').find((address) => address['type'] === type);
  return found === undefined ? '<none>' : readText(found, 'address');
}

function readInfo(node: KubeObject, key: string): string {
  return readText(node, 'status', 'nodeInfo', key) || '<unknown>';
}

/** Node: a machine that runs pods. */
export const nodeKind: KindDefinition = defineWorkloadKind({
  kind: 'Node',
  group: '',
  plural: 'nodes',
  shortNames: ['no'],
  clusterScoped: true,
  columns: [
    nameColumn,
    shownColumn('Status'),
    shownColumn('Roles'),
    ageColumn,
    shownColumn('Version'),
    wideColumn('Internal-IP'),
    wideColumn('External-IP'),
    wideColumn('OS-Image'),
    wideColumn('Kernel-Version'),
    wideColumn('Container-Runtime'),
  ],
  printRow: (node, now) => [
    nameOf(node),
    formatStatus(node),
    formatRoles(node),
    ageOf(node, now),
    readText(node, 'status', 'nodeInfo', 'kubeletVersion'),
    findAddress(node, 'InternalIP'),
    findAddress(node, 'ExternalIP'),
    readInfo(node, 'osImage'),
    readInfo(node, 'kernelVersion'),
    readInfo(node, 'containerRuntimeVersion'),
  ],
  status: true,
  selectableFields: { 'spec.unschedulable': (node) => String(readFlag(node, 'spec', 'unschedulable')) },
  rules: nodeRules,
  description: 'A machine that runs pods.',
});
