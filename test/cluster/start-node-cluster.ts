import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { buildControlPlaneProgram, buildKubernetesProgram } from './build-control-plane.ts';
import { buildCriu } from './build-criu.ts';
import { buildHelm, buildNodeProgram } from './build-node-program.ts';
import {
  listApiServerFlags,
  listControllerManagerFlags,
  listEtcdFlags,
  listSchedulerFlags,
  type ClusterPlan,
} from './cluster-flags.ts';
import { requestCluster } from './cluster-request.ts';
import { listContainerdWords } from './containerd-files.ts';
import { issueClientCertificate, issueClusterCertificates } from './issue-certificates.ts';
import { Machine } from './machine.ts';
import { criuSkipReason } from './node-skip-reason.ts';
import { listApiServerFlagsWithNode, listKubeletFlags, writeNodeFiles, type NodePlan } from './node-files.ts';
import { ProcessGroup } from './process-group.ts';
import { reserveNetwork } from './reserve-network.ts';
import {
  buildBusyboxImage,
  buildPauseImage,
  buildPauseProgram,
  buildWorkloadImage,
  pauseReference,
} from './small-images.ts';
import { NodeCluster } from './node-cluster.ts';
import { writeKubeconfig } from './write-kubeconfig.ts';

/** What of the host is switched off or set otherwise. */
export interface NodeClusterOptions {
  /** Plugins of kube-apiserver that are not to run, such as `ResourceQuota`. */
  readonly disablePlugins?: readonly string[];
  /** The controllers that run, as kube-controller-manager's flag says it: `['*', '-resourcequota-controller']`. */
  readonly controllers?: readonly string[];
  /** Files of image archives to load before the node starts. */
  readonly images?: readonly string[];
  /** Flags that come after the rig's own. */
  readonly apiServerFlags?: readonly string[];
  readonly controllerManagerFlags?: readonly string[];
  /** Fields of kubelet's configuration that replace the rig's own. */
  readonly kubeletFields?: Readonly<Record<string, unknown>>;
}

const nodeName = 'node-1';
const apiServerPort = 6443;

/** Who each part of the cluster is; a host of others' would not run it all as an administrator either. */
const identities = {
  kubelet: [`system:node:${nodeName}`, ['system:nodes']],
  'kube-proxy': ['system:kube-proxy', []],
  'kube-controller-manager': ['system:kube-controller-manager', []],
  'kube-scheduler': ['system:kube-scheduler', []],
} as const;

async function buildPrograms() {
  const [etcd, apiServer, controllerManager, scheduler] = [
    await buildControlPlaneProgram('etcd'),
    await buildControlPlaneProgram('kube-apiserver'),
    await buildControlPlaneProgram('kube-controller-manager'),
    await buildControlPlaneProgram('kube-scheduler'),
  ];
  for (const plugin of ['loopback', 'host-local'] as const) await buildNodeProgram(plugin);
  return {
    ...{ etcd, apiServer, controllerManager, scheduler },
    kubelet: await buildNodeProgram('kubelet'),
    proxy: await buildNodeProgram('kube-proxy'),
    containerd: await buildNodeProgram('containerd'),
    shim: await buildNodeProgram('containerd-shim-runc-v2'),
    ctr: await buildNodeProgram('ctr'),
    runc: await buildNodeProgram('runc'),
    cniPlugins: dirname(await buildNodeProgram('bridge')),
    kubectl: await buildKubernetesProgram('kubectl'),
    helm: await buildHelm(),
    // Only checkpoints need it.
    criu: criuSkipReason() === undefined ? await buildCriu() : undefined,
    pause: await buildPauseProgram(),
    pauseImage: await buildPauseImage(),
    busyboxImage: await buildBusyboxImage(),
    workloadImage: await buildWorkloadImage(),
  };
}

async function issueIdentities(folder: string, pki: string, url: string, ca: string): Promise<void> {
  for (const [name, [username, groups]] of Object.entries(identities)) {
    const user = await issueClientCertificate(pki, username, groups);
    await writeKubeconfig(join(folder, `${name}.kubeconfig`), url, ca, user);
  }
  await issueClientCertificate(pki, 'kube-apiserver-kubelet-client', ['system:masters'], 'kubelet-client');
}

async function startIn(folder: string, group: ProcessGroup, options: NodeClusterOptions): Promise<NodeCluster> {
  const programs = await buildPrograms();
  const network = await reserveNetwork(group, folder);
  const pki = join(folder, 'pki');
  await mkdir(pki);
  const addresses = ['127.0.0.1', '10.96.0.1', network.nodeAddress].map((address) => `IP:${address}`);
  const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'].map(
    (name) => `DNS:${name}`,
  );
  await issueClusterCertificates(pki, [...addresses, ...names]);
  const ca = await readFile(join(pki, 'ca.crt'), 'utf8');
  const token = randomBytes(24).toString('hex');
  await writeFile(join(pki, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const url = `https://${network.nodeAddress}:${apiServerPort}`;
  const kubeconfig = join(folder, 'kubeconfig');
  await writeKubeconfig(kubeconfig, url, ca, { token });
  await issueIdentities(folder, pki, url, ca);

  const controlGroup = basename(folder);
  const machine = new Machine(group, folder, controlGroup, programs.pause, network);
  const nodePlan: NodePlan = {
    ...{ folder, pki, nodeName, network, controlGroup },
    ...{ runc: programs.runc, shim: programs.shim, cniPlugins: programs.cniPlugins },
    pauseImage: pauseReference,
    kubeletFields: options.kubeletFields ?? {},
  };
  await writeNodeFiles(nodePlan);
  const plan: ClusterPlan = {
    ...{ folder, address: network.nodeAddress, pki, apiServerPort, etcdPort: 2379, peerPort: 2380 },
    kubeconfig: '',
  };
  const identified = (name: keyof typeof identities): ClusterPlan => ({
    ...plan,
    kubeconfig: join(folder, `${name}.kubeconfig`),
  });
  const cluster = new NodeCluster({
    ...{ url, kubeconfig, token, ca, folder, pki, nodeName, network, machine, group },
    tools: { ctr: programs.ctr, kubectl: programs.kubectl, helm: programs.helm },
    request: (method, path, more) => requestCluster({ url, ca, token }, method, path, more ?? {}),
    commands: {
      etcd: [programs.etcd, ...listEtcdFlags(plan)],
      containerd: listContainerdWords(nodePlan, programs.containerd, programs.criu && dirname(programs.criu)),
      'kube-apiserver': [
        programs.apiServer,
        ...listApiServerFlags(plan),
        ...listApiServerFlagsWithNode(nodePlan),
        ...(options.disablePlugins ? [`--disable-admission-plugins=${options.disablePlugins.join(',')}`] : []),
        ...(options.apiServerFlags ?? []),
      ],
      'kube-controller-manager': [
        programs.controllerManager,
        ...listControllerManagerFlags(identified('kube-controller-manager')),
        ...(options.controllers ? [`--controllers=${options.controllers.join(',')}`] : []),
        ...(options.controllerManagerFlags ?? []),
      ],
      'kube-scheduler': [programs.scheduler, ...listSchedulerFlags(identified('kube-scheduler'))],
      kubelet: [programs.kubelet, ...listKubeletFlags(nodePlan)],
      'kube-proxy': [programs.proxy, `--config=${join(folder, 'kube-proxy.json')}`],
    },
  });
  await cluster.powerOn([
    programs.pauseImage,
    programs.busyboxImage,
    programs.workloadImage,
    ...(options.images ?? []),
  ]);
  return cluster;
}

/**
 * Starts a cluster with one real node, on a machine of its own (see `Machine`); builds it first where the cache has none. Resolves when
 * the node is ready for pods. It ends with this process at the latest. Its images `localhost/busybox:1`, `localhost/workload:1` and those that
 * `loadImage` loads are all that pods can use. Their containers can be checkpointed where CRIU can be built.
 */
export async function startNodeCluster(options: NodeClusterOptions = {}): Promise<NodeCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-node-'));
  // From here on somebody watches who removes everything, whatever becomes of this process.
  const group = new ProcessGroup(folder);
  try {
    return await startIn(folder, group, options);
  } catch (error) {
    await group.stop();
    throw error;
  }
}
