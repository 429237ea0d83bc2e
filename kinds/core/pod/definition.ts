import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readFlag, readText } from '../../workloads/read-field.ts';
import { printPod } from './print-pod.ts';
import { podRules, podStatusRules } from './rules.ts';

/** Pod: containers that run together on one node. */
export const podKind: KindDefinition = defineWorkloadKind({
  kind: 'Pod',
  group: '',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  columns: [
    nameColumn,
    shownColumn('Ready'),
    shownColumn('Status'),
    shownColumn('Restarts'),
    ageColumn,
    wideColumn('IP'),
    wideColumn('Node'),
    wideColumn('Nominated Node'),
    wideColumn('Readiness Gates'),
  ],
  printRow: printPod,
  status: podStatusRules,
  generationFields: ['spec'],
  selectableFields: {
    'spec.nodeName': (pod) => readText(pod, 'spec', 'nodeName'),
    'spec.restartPolicy': (pod) => readText(pod, 'spec', 'restartPolicy'),
    'spec.schedulerName': (pod) => readText(pod, 'spec', 'schedulerName'),
    'spec.serviceAccountName': (pod) => readText(pod, 'spec', 'serviceAccountName'),
    'spec.hostNetwork': (pod) => String(readFlag(pod, 'spec', 'hostNetwork')),
    'status.phase': (pod) => readText(pod, 'status', 'phase'),
    'status.podIP': (pod) => readText(pod, 'status', 'podIPs', 0, 'ip'),
    'status.nominatedNodeName': (pod) => readText(pod, 'status', 'nominatedNodeName'),
  },
  subresources: ['binding', 'eviction', 'ephemeralcontainers', 'resize'],
  rules: podRules,
  returnsDeletedObject: true,
  description: 'Containers that run together on one node.',
});
