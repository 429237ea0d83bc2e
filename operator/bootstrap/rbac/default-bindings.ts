/** Who gets a role from the first start: users and groups by name, service accounts as `namespace/name`. */
export interface BindingTemplate {
  /** Name of the binding and of the ClusterRole that it gives. */
  readonly name: string;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly serviceAccounts?: readonly string[];
}

/** Cluster role bindings that exist from the first start, as Kubernetes has them. */
export const defaultClusterRoleBindings: readonly BindingTemplate[] = [
  { name: 'cluster-admin', groups: ['system:masters'] },
  { name: 'system:basic-user', groups: ['system:authenticated'] },
  { name: 'system:discovery', groups: ['system:authenticated'] },
  { name: 'system:kube-controller-manager', users: ['system:kube-controller-manager'] },
  { name: 'system:kube-dns', serviceAccounts: ['kube-system/kube-dns'] },
  { name: 'system:kube-scheduler', users: ['system:kube-scheduler'] },
  { name: 'system:monitoring', groups: ['system:monitoring'] },
  { name: 'system:node' },
  { name: 'system:node-proxier', users: ['system:kube-proxy'] },
  { name: 'system:public-info-viewer', groups: ['system:authenticated', 'system:unauthenticated'] },
  { name: 'system:service-account-issuer-discovery', groups: ['system:serviceaccounts'] },
  { name: 'system:volume-scheduler', users: ['system:kube-scheduler'] },
];
