import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { MachineNetwork } from './reserve-network.ts';

/** What the files of a node are written from; programs are given by their executables. */
export interface NodePlan {
  readonly folder: string;
  readonly pki: string;
  readonly nodeName: string;
  readonly network: MachineNetwork;
  readonly controlGroup: string;
  readonly pauseImage: string;
  readonly runc: string;
  readonly shim: string;
  readonly cniPlugins: string;
  /** Fields of kubelet's configuration that replace the rig's own. */
  readonly kubeletFields: Readonly<Record<string, unknown>>;
}

/** Where containerd listens, on the machine. */
export const containerdSocket = '/run/containerd/containerd.sock';

function describeContainerd(plan: NodePlan): string {
  return `version = 3
root = '/var/lib/containerd'
state = '/run/containerd'
[grpc]
  address = '${containerdSocket}'
[ttrpc]
  address = '${containerdSocket}.ttrpc'
[plugins.'io.containerd.internal.v1.opt']
  path = '/var/lib/containerd/opt'
[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'overlayfs'
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = '${plan.pauseImage}'
[plugins.'io.containerd.cri.v1.runtime']
  # Lowering a score takes CAP_SYS_RESOURCE, which root does not have everywhere.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  enable_criu = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ['${plan.cniPlugins}']
  conf_dir = '${join(plan.folder, 'cni')}'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
  runtime_type = 'io.containerd.runc.v2'
  runtime_path = '${plan.shim}'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
  BinaryName = '${plan.runc}'
  SystemdCgroup = false
`;
}

function describeNetwork(plan: NodePlan): unknown {
  return {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: plan.network.podSubnet }]],
          // Pods do not outlive a power-off, nor do their addresses.
          dataDir: '/run/cni-addresses',
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  };
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
  await mkdir(file('cni'), { recursive: true });
  await writeFile(file('containerd.toml'), describeContainerd(plan));
  await writeFile(file('cni/10-pods.conflist'), JSON.stringify(describeNetwork(plan)));
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
