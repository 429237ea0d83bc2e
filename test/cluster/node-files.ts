import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { containerdSocket, writeContainerdFiles, type ContainerdPlan } from './containerd-files.ts';

/** What the files of a node are written from; programs are given by their executables. */
export interface NodePlan extends ContainerdPlan {
  readonly pki: string;
  readonly nodeName: string;
  readonly controlGroup: string;
  /** Fields of kubelet's configuration that replace the rig's own. */
  readonly kubeletFields: Readonly<Record<string, unknown>>;
}

function describeKubelet(plan: NodePlan): unknown {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: '0.0.0.0',
    authentication: { x509: { clientCAFile: join(plan.pki, 'ca.crt') }, anonymous: { enabled: false } },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${plan.controlGroup}`,
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    enforceNodeAllocatable: [],
    // The disk is the test machine's; how full it is is none of the cluster's business.
    evictionHard: { 'nodefs.available': '0%', 'nodefs.inodesFree': '0%', 'imagefs.available': '0%' },
    imageGCHighThresholdPercent: 100,
    failSwapOn: false,
    podLogsDir: '/var/log/pods',
    resolvConf: '',
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
    ...plan.kubeletFields,
  };
}

function describeProxy(plan: NodePlan): unknown {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clusterCIDR: plan.network.podSubnet,
    hostnameOverride: plan.nodeName,
    clientConnection: { kubeconfig: join(plan.folder, 'kube-proxy.kubeconfig') },
    // The limits of connection tracking belong to the whole kernel.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    nftables: { minSyncPeriod: '100ms' },
  };
}

/** Writes the configuration of containerd, the pod network, kubelet and kube-proxy into the folder. */
export async function writeNodeFiles(plan: NodePlan): Promise<void> {
  const file = (name: string): string => join(plan.folder, name);
  await writeContainerdFiles(plan);
  await writeFile(file('kubelet.json'), JSON.stringify(describeKubelet(plan)));
  await writeFile(file('kube-proxy.json'), JSON.stringify(describeProxy(plan)));
}

/** Words of kubelet's command line. */
export function listKubeletFlags(plan: NodePlan): string[] {
  return [
    `--config=${join(plan.folder, 'kubelet.json')}`,
    `--kubeconfig=${join(plan.folder, 'kubelet.kubeconfig')}`,
    `--hostname-override=${plan.nodeName}`,
    `--node-ip=${plan.network.nodeAddress}`,
  ];
}

/** Words of kube-apiserver's command line that having a node adds; they come after the others. */
export function listApiServerFlagsWithNode(plan: NodePlan): string[] {
  const file = (name: string): string => join(plan.pki, name);
  return [
    // Pods and what runs on the node itself.
    '--bind-address=0.0.0.0',
    '--endpoint-reconciler-type=lease',
    '--authorization-mode=Node',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    `--kubelet-client-certificate=${file('kubelet-client.crt')}`,
    `--kubelet-client-key=${file('kubelet-client.key')}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--requestheader-allowed-names=front-proxy-client',
    // Nothing of kube-proxy's is in the way from the API server to webhooks and aggregated services.
    '--enable-aggregator-routing=true',
  ];
}
