import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn } from '../../workloads/format-cells.ts';
import { readTexts } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { configMapRules } from './rules.ts';

/** ConfigMap: configuration as texts and bytes by key. */
export const configMapKind: KindDefinition = defineWorkloadKind({
  kind: 'ConfigMap',
  group: '',
  plural: 'configmaps',
  shortNames: ['cm'],
  columns: [nameColumn, shownColumn('Data'), ageColumn],
  printRow: (object, now) => [
    nameOf(object),
    Object.keys(readTexts(object, 'data')).length + Object.keys(readTexts(object, 'binaryData')).length,
    ageOf(object, now),
  ],
  rules: configMapRules,
  description: 'Configuration that pods can read.',
});
