import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn } from '../../workloads/format-cells.ts';
import { readText, readTexts } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { secretRules } from './rules.ts';

/** Secret: bytes by key, of a type. */
export const secretKind: KindDefinition = defineWorkloadKind({
  kind: 'Secret',
  group: '',
  plural: 'secrets',
  columns: [nameColumn, shownColumn('Type'), shownColumn('Data'), ageColumn],
  printRow: (object, now) => [
    nameOf(object),
    readText(object, 'type'),
    Object.keys(readTexts(object, 'data')).length,
    ageOf(object, now),
  ],
  selectableFields: { type: (object) => readText(object, 'type') },
  rules: secretRules,
  description: 'Secret bytes that pods can read.',
});
