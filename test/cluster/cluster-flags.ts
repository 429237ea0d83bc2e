import { join } from 'node:path';

/** Folders, address and ports of one cluster; `pki` holds its certificates. */
export interface ClusterPlan {
  readonly folder: string;
  /** Where the API server listens. */
  readonly address: string;
  readonly pki: string;
  readonly kubeconfig: string;
  readonly etcdPort: number;
  readonly peerPort: number;
  readonly apiServerPort: number;
}

/** Words of etcd's command line. */
export function listEtcdFlags(plan: ClusterPlan): string[] {
  const clients = `http://127.0.0.1:${plan.etcdPort}`;
  const peers = `http://127.0.0.1:${plan.peerPort}`;
  return [
    `--data-dir=${join(plan.folder, 'etcd')}`,
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
  ];
}

/** Words of kube-apiserver's command line. */
export function listApiServerFlags(plan: ClusterPlan): string[] {
  const file = (name: string): string => join(plan.pki, name);
  return [
    `--etcd-servers=http://127.0.0.1:${plan.etcdPort}`,
    `--secure-port=${plan.apiServerPort}`,
    `--bind-address=${plan.address}`,
    `--advertise-address=${plan.address}`,
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--cert-dir=${file('generated')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('service-account.pub')}`,
    `--service-account-signing-key-file=${file('service-account.key')}`,
    `--token-auth-file=${file('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    `--client-ca-file=${file('ca.crt')}`,
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    `--proxy-client-cert-file=${file('front-proxy.crt')}`,
    `--proxy-client-key-file=${file('front-proxy.key')}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  ];
}

/** Words of kube-controller-manager's command line. */
export function listControllerManagerFlags(plan: ClusterPlan): string[] {
  const file = (name: string): string => join(plan.pki, name);
  return [
    `--kubeconfig=${plan.kubeconfig}`,
    '--secure-port=0',
    '--leader-elect=false',
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${file('service-account.key')}`,
    `--root-ca-file=${file('ca.crt')}`,
    `--cluster-signing-cert-file=${file('ca.crt')}`,
    `--cluster-signing-key-file=${file('ca.key')}`,
    // The folder is made where it is missing, by default outside of ours.
    `--flex-volume-plugin-dir=${join(plan.folder, 'volume-plugins')}`,
  ];
}

/** Words of kube-scheduler's command line. */
export function listSchedulerFlags(plan: ClusterPlan): string[] {
  return [`--kubeconfig=${plan.kubeconfig}`, '--secure-port=0', '--leader-elect=false'];
}
