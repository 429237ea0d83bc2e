import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn } from '../../workloads/format-cells.ts';
import { readList } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';

/** ServiceAccount: an identity for processes in pods. */
export const serviceAccountKind: KindDefinition = defineWorkloadKind({
  kind: 'ServiceAccount',
  group: '',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  columns: [nameColumn, shownColumn('Secrets'), ageColumn],
  printRow: (object, now) => [nameOf(object), readList(object, 'secrets').length, ageOf(object, now)],
  subresources: ['token'],
  returnsDeletedObject: true,
  description: 'An identity for processes in pods.',
});
