import type { KindDefinition } from '../../kind-definition.ts';
import { nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatContainers, formatLabelsAt, shownColumn } from '../../workloads/format-cells.ts';
import { nameOf } from '../../workloads/row-cells.ts';
import { podTemplateRules } from './rules.ts';

/** PodTemplate: a pattern of pods. */
export const podTemplateKind: KindDefinition = defineWorkloadKind({
  kind: 'PodTemplate',
  group: '',
  plural: 'podtemplates',
  columns: [nameColumn, shownColumn('Containers'), shownColumn('Images'), shownColumn('Pod Labels')],
  printRow: (object) => [
    nameOf(object),
    ...formatContainers(object, 'template'),
    formatLabelsAt(object, 'template', 'metadata', 'labels'),
  ],
  generationFields: ['template'],
  rules: podTemplateRules,
  returnsDeletedObject: true,
  description: 'A pattern of pods.',
});
