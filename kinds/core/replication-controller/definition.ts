import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatContainers, formatLabelsAt, shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readNumber } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { replicationControllerRules } from './rules.ts';

/** ReplicationController: a number of equal pods. */
export const replicationControllerKind: KindDefinition = defineWorkloadKind({
  kind: 'ReplicationController',
  group: '',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
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
    formatLabelsAt(object, 'spec', 'selector'),
  ],
  status: true,
  generationFields: ['spec'],
  scale: {
    specReplicasPath: 'spec.replicas',
    statusReplicasPath: 'status.replicas',
    selectorPath: 'spec.selector',
  },
  selectableFields: { 'status.replicas': (object) => String(readNumber(object, 'status', 'replicas') ?? 0) },
  rules: replicationControllerRules,
  description: 'Keeps a number of equal pods.',
});
