import type { KindDefinition } from '../../kind-definition.ts';
import { createdAtColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { createdAtOf, nameOf } from '../../workloads/row-cells.ts';
import { clusterRoleRules, roleRules } from './rules.ts';

/** Role: permissions in one namespace. */
export const roleKind: KindDefinition = defineWorkloadKind({
  kind: 'Role',
  group: 'rbac.authorization.k8s.io',
  plural: 'roles',
  columns: [nameColumn, createdAtColumn],
  printRow: (object) => [nameOf(object), createdAtOf(object)],
  rules: roleRules,
  description: 'Permissions in one namespace.',
});

/** ClusterRole: permissions everywhere, or to be bound in a namespace. */
export const clusterRoleKind: KindDefinition = defineWorkloadKind({
  kind: 'ClusterRole',
  group: 'rbac.authorization.k8s.io',
  plural: 'clusterroles',
  clusterScoped: true,
  columns: [nameColumn, createdAtColumn],
  printRow: (object) => [nameOf(object), createdAtOf(object)],
  rules: clusterRoleRules,
  description: 'Permissions everywhere, or to be bound in a namespace.',
});
