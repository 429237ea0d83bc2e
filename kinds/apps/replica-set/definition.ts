import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatContainers, formatSelectorAt, shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readNumber } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { replicaSetRules } from './rules.ts';

/** ReplicaSet: a number of equal pods. */
export const replicaSetKind: KindDefinition = defineWorkloadKind({
  kind: 'ReplicaSet',
  group: 'apps',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  columns: [
    nameColumn,
    shownColumn('Desired', 'integer'),
    shownColumn('Current', 'integer'),
    shownColumn('Ready', 'integer'),
    ageColumn,
    wideColumn('Containers'),
    wideColumn('Images'),
    wideColumn('Selector'),
  ],
  printRow: (object, now) => [
    nameOf(object),
    readNumber(object, 'spec', 'replicas') ?? 0,
    readNumber(object, 'status', 'replicas') ?? 0,
    readNumber(object, 'status', 'readyReplicas') ?? 0,
    ageOf(object, now),
    ...formatContainers(object, 'spec', 'template'),
    formatSelectorAt(object, 'spec', 'selector'),
  ],
  status: true,
  generationFields: ['spec'],
  scale: {
    specReplicasPath: 'spec.replicas',
    statusReplicasPath: 'status.replicas',
    selectorPath: 'spec.selector',
  },
  rules: replicaSetRules,
  description: 'Keeps a number of equal pods.',
});
