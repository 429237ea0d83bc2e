import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import {
  formatContainers,
  formatLabelsAt,
  formatSelectorAt,
  shownColumn,
  wideColumn,
} from '../../workloads/format-cells.ts';
import { readNumber } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { daemonSetRules } from './rules.ts';

/** DaemonSet: a pod on every node. */
export const daemonSetKind: KindDefinition = defineWorkloadKind({
  kind: 'DaemonSet',
  group: 'apps',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  columns: [
    nameColumn,
    shownColumn('Desired', 'integer'),
    shownColumn('Current', 'integer'),
    shownColumn('Ready', 'integer'),
    shownColumn('Up-to-date', 'integer'),
    shownColumn('Available', 'integer'),
    shownColumn('Node Selector'),
    ageColumn,
    wideColumn('Containers'),
    wideColumn('Images'),
    wideColumn('Selector'),
  ],
  printRow: (object, now) => [
    nameOf(object),
    readNumber(object, 'status', 'desiredNumberScheduled') ?? 0,
    readNumber(object, 'status', 'currentNumberScheduled') ?? 0,
    readNumber(object, 'status', 'numberReady') ?? 0,
    readNumber(object, 'status', 'updatedNumberScheduled') ?? 0,
    readNumber(object, 'status', 'numberAvailable') ?? 0,
    formatLabelsAt(object, 'spec', 'template', 'spec', 'nodeSelector'),
    ageOf(object, now),
    ...formatContainers(object, 'spec', 'template'),
    formatSelectorAt(object, 'spec', 'selector'),
  ],
  status: true,
  generationFields: ['spec'],
  rules: daemonSetRules,
  description: 'A pod on every node.',
});
