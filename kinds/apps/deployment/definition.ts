import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatContainers, formatSelectorAt, shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readNumber } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { deploymentRules } from './rules.ts';

/** Deployment: replicas of a pod, updated step by step. */
export const deploymentKind: KindDefinition = defineWorkloadKind({
  kind: 'Deployment',
  group: 'apps',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  columns: [
    nameColumn,
    shownColumn('Ready'),
    shownColumn('Up-to-date'),
    shownColumn('Available'),
    ageColumn,
    wideColumn('Containers'),
    wideColumn('Images'),
    wideColumn('Selector'),
  ],
  printRow: (object, now) => [
    nameOf(object),
    `${readNumber(object, 'status', 'readyReplicas') ?? 0}/${readNumber(object, 'spec', 'replicas') ?? 0}`,
    readNumber(object, 'status', 'updatedReplicas') ?? 0,
    readNumber(object, 'status', 'availableReplicas') ?? 0,
    ageOf(object, now),
    ...formatContainers(object, 'spec', 'template'),
    formatSelectorAt(object, 'spec', 'selector'),
  ],
  status: { keptMetadata: ['labels'] },
  generationFields: ['spec'],
  scale: {
    specReplicasPath: 'spec.replicas',
    statusReplicasPath: 'status.replicas',
    selectorPath: 'spec.selector',
  },
  rules: deploymentRules,
  description: 'Replicas of a pod, updated step by step.',
});
