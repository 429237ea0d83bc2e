import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn } from '../../workloads/format-cells.ts';
import { readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { namespaceRules, namespaceStatusRules } from './rules.ts';

/** Namespace: a scope of names. */
export const namespaceKind: KindDefinition = defineWorkloadKind({
  kind: 'Namespace',
  group: '',
  plural: 'namespaces',
  shortNames: ['ns'],
  clusterScoped: true,
  columns: [nameColumn, shownColumn('Status'), ageColumn],
  printRow: (object, now) => [nameOf(object), readText(object, 'status', 'phase'), ageOf(object, now)],
  status: namespaceStatusRules,
  selectableFields: { 'status.phase': (object) => readText(object, 'status', 'phase') },
  subresources: ['finalize'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  rules: namespaceRules,
  returnsDeletedObject: true,
  description: 'A scope of names, and of what quotas and limits apply to.',
});
