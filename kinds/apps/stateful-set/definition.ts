import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatContainers, shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readNumber } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { statefulSetRules } from './rules.ts';

/** StatefulSet: pods with names and storage of their own. */
export const statefulSetKind: KindDefinition = defineWorkloadKind({
  kind: 'StatefulSet',
  group: 'apps',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  columns: [nameColumn, shownColumn('Ready'), ageColumn, wideColumn('Containers'), wideColumn('Images')],
  printRow: (object, now) => [
    nameOf(object),
    `${readNumber(object, 'status', 'readyReplicas') ?? 0}/${readNumber(object, 'spec', 'replicas') ?? 0}`,
    ageOf(object, now),
    ...formatContainers(object, 'spec', 'template'),
  ],
  status: true,
  generationFields: ['spec'],
  scale: {
    specReplicasPath: 'spec.replicas',
    statusReplicasPath: 'status.replicas',
    selectorPath: 'spec.selector',
  },
  rules: statefulSetRules,
  description: 'Pods with names and storage of their own.',
});
