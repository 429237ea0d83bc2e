import type { KubeObject } from '../../../../core/meta/kube-object.ts';

/** API group of the RBAC kinds. */
export const rbacGroup = 'rbac.authorization.k8s.io';

/** What a role permits: every combination of its members, or paths outside of resources. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  /** Absent or empty: every name. */
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** To whom a binding gives a role. */
export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  /** Of a ServiceAccount; absent in a RoleBinding means the binding's own. */
  readonly namespace?: string;
}

/** The role that a binding gives. */
export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** A Role or a ClusterRole. */
export interface RoleObject extends KubeObject {
  rules?: PolicyRule[] | null;
  aggregationRule?: {
    clusterRoleSelectors?: {
      matchLabels?: Record<string, string>;
      matchExpressions?: { key: string; operator: string; values?: string[] }[];
    }[];
  };
}

/** A RoleBinding or a ClusterRoleBinding. */
export interface BindingObject extends KubeObject {
  subjects?: Subject[];
  roleRef: RoleRef;
}
