import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { MachineNetwork } from './reserve-network.ts';

/** Which containerd: the newest, or Debian's old one. */
export type ContainerdVersion = '2.3' | '1.6';

/** What the files of containerd on a machine are written from; programs are given by their executables. */
export interface ContainerdPlan {
  readonly folder: string;
  readonly network: MachineNetwork;
  readonly pauseImage: string;
  readonly runc: string;
  readonly shim: string;
  readonly cniPlugins: string;
  /** Absent: the newest. */
  readonly containerdVersion?: ContainerdVersion;
  /** Where it listens; absent: `containerdSocket`. */
  readonly socket?: string;
}

/** Where containerd listens, on the machine. */
export const containerdSocket = '/run/containerd/containerd.sock';

function describePlaces(plan: ContainerdPlan): string {
  const socket = plan.socket ?? containerdSocket;
  return `root = '/var/lib/containerd'
state = '/run/containerd'
[grpc]
  address = '${socket}'
[ttrpc]
  address = '${socket}.ttrpc'
[plugins.'io.containerd.internal.v1.opt']
  path = '/var/lib/containerd/opt'
`;
}

function describeContainerd16(plan: ContainerdPlan): string {
  return `version = 2
${describePlaces(plan)}[plugins.'io.containerd.grpc.v1.cri']
  sandbox_image = '${plan.pauseImage}'
  stats_collect_period = 1
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
[plugins.'io.containerd.grpc.v1.cri'.cni]
  bin_dir = '${plan.cniPlugins}'
  conf_dir = '${join(plan.folder, 'cni')}'
[plugins.'io.containerd.grpc.v1.cri'.containerd]
  snapshotter = 'overlayfs'
[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.runc]
  runtime_type = 'io.containerd.runc.v2'
  runtime_path = '${plan.shim}'
[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.runc.options]
  BinaryName = '${plan.runc}'
  SystemdCgroup = false
`;
}

function describeContainerd(plan: ContainerdPlan): string {
  return `version = 3
${describePlaces(plan)}[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'overlayfs'
  stats_collect_period = 1
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = '${plan.pauseImage}'
[plugins.'io.containerd.cri.v1.runtime']
  # Lowering a score takes CAP_SYS_RESOURCE, which root does not have everywhere.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  enable_criu = true
  # A container whose image is the path of a checkpoint's archive goes on where that was taken.
  enable_experimental_restore_via_create = true
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

function describeNetwork(plan: ContainerdPlan): unknown {
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

/** Writes the configuration of containerd and of the pod network into the folder. */
export async function writeContainerdFiles(plan: ContainerdPlan): Promise<void> {
  const file = (name: string): string => join(plan.folder, name);
  await mkdir(file('cni'), { recursive: true });
  const describe = plan.containerdVersion === '1.6' ? describeContainerd16 : describeContainerd;
  await writeFile(file('containerd.toml'), describe(plan));
  await writeFile(file('cni/10-pods.conflist'), JSON.stringify(describeNetwork(plan)));
}

/**
 * Words of the command that starts containerd on a machine; with `criuFolder`, a folder whose `criu` it dumps with. What is in there is
 * found before other programs of that name.
 */
export function listContainerdWords(plan: ContainerdPlan, executable: string, criuFolder?: string): string[] {
  const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  const path = [...(criuFolder === undefined ? [] : [criuFolder]), dirname(plan.runc), ...folders].join(':');
  return ['env', `PATH=${path}`, executable, `--config=${join(plan.folder, 'containerd.toml')}`];
}
