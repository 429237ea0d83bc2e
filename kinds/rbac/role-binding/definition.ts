import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn, wideColumn } from '../../workloads/format-cells.ts';
import { readItems, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { clusterRoleBindingRules, roleBindingRules } from './rules.ts';

const columns = [
  nameColumn,
  shownColumn('Role'),
  ageColumn,
  wideColumn('Users'),
  wideColumn('Groups'),
  wideColumn('ServiceAccounts'),
];

function formatSubjects(binding: KubeObject, kind: string): string {
  return readItems(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map((subject) => {
      const namespace = kind === 'ServiceAccount' ? readText(subject, 'namespace') : '';
      return namespace === '' ? readText(subject, 'name') : `${namespace}/${readText(subject, 'name')}`;
    })
    .join(', ');
}

function printBinding(binding: KubeObject, nowMillis: number): string[] {
  return [
    nameOf(binding),
    `${readText(binding, 'roleRef', 'kind')}/${readText(binding, 'roleRef', 'name')}`,
    ageOf(binding, nowMillis),
    formatSubjects(binding, 'User'),
    formatSubjects(binding, 'Group'),
    formatSubjects(binding, 'ServiceAccount'),
  ];
}

/** RoleBinding: gives subjects a role in one namespace. */
export const roleBindingKind: KindDefinition = defineWorkloadKind({
  kind: 'RoleBinding',
  group: 'rbac.authorization.k8s.io',
  plural: 'rolebindings',
  columns,
  printRow: printBinding,
  rules: roleBindingRules,
  description: 'Gives subjects a role in one namespace.',
});

/** ClusterRoleBinding: gives subjects a cluster role everywhere. */
export const clusterRoleBindingKind: KindDefinition = defineWorkloadKind({
  kind: 'ClusterRoleBinding',
  group: 'rbac.authorization.k8s.io',
  plural: 'clusterrolebindings',
  clusterScoped: true,
  columns,
  printRow: printBinding,
  rules: clusterRoleBindingRules,
  description: 'Gives subjects a cluster role everywhere.',
});
