import { join } from 'node:path';

import { buildKubernetesProgram } from './build-control-plane.ts';
import { buildGoModule, installGoPackage } from './build-go-module.ts';
import { locateKubernetes } from './control-plane-cache.ts';
import { locateTool } from './tool-cache.ts';

interface PublishedTool {
  readonly tool: string;
  readonly version: string;
  readonly package: string;
  readonly flags?: readonly string[];
  /** Its package must be built in a module of ours, which has a template of that tool and version. */
  readonly inModule?: boolean;
}

const containerd = { tool: 'containerd', version: '2.3.7' };
const containerdPackages = 'github.com/containerd/containerd/v2/cmd';
const cniPlugins = { tool: 'cni-plugins', version: '1.9.1' };
const cniPackages = 'github.com/containernetworking/plugins/plugins';

const publishedTools = {
  containerd: { ...containerd, package: `${containerdPackages}/containerd` },
  'containerd-shim-runc-v2': { ...containerd, package: `${containerdPackages}/containerd-shim-runc-v2` },
  ctr: { ...containerd, package: `${containerdPackages}/ctr` },
  runc: {
    tool: 'runc',
    version: '1.4.3',
    package: 'github.com/opencontainers/runc',
    flags: ['-tags', 'seccomp'],
  },
  crictl: { tool: 'crictl', version: '1.36.0', package: 'sigs.k8s.io/cri-tools/cmd/crictl', inModule: true },
  bridge: { ...cniPlugins, package: `${cniPackages}/main/bridge` },
  loopback: { ...cniPlugins, package: `${cniPackages}/main/loopback` },
  'host-local': { ...cniPlugins, package: `${cniPackages}/ipam/host-local` },
} satisfies Record<string, PublishedTool>;

const helm: PublishedTool = { tool: 'helm', version: '3.22.0', package: 'helm.sh/helm/v3/cmd/helm' };
const helmUnittest: PublishedTool = {
  tool: 'helm-unittest',
  version: '1.1.2',
  package: 'github.com/helm-unittest/helm-unittest/cmd/helm-unittest',
  inModule: true,
};

/** Programs that make a machine a node of a cluster. */
export type NodeProgram = 'kubelet' | 'kube-proxy' | keyof typeof publishedTools;

/** Those that run containers without a cluster. */
export const runtimePrograms = Object.keys(publishedTools) as readonly (keyof typeof publishedTools)[];

/** All of them. */
export const nodePrograms: readonly NodeProgram[] = ['kubelet', 'kube-proxy', ...runtimePrograms];

function buildPublished(name: string, tool: PublishedTool): Promise<string> {
  const folders = locateTool(tool.tool, tool.version);
  const flags = tool.flags ?? [];
  if (!tool.inModule) return installGoPackage(folders, name, `${tool.package}@v${tool.version}`, flags);
  const template = `${tool.tool}-${tool.version}.go.mod`;
  return buildGoModule(folders, { template, name, package: tool.package, flags });
}

/** Where the executable of a node's program is once it is built. */
export function locateNodeProgram(program: NodeProgram): string {
  if (program === 'kubelet' || program === 'kube-proxy') return join(locateKubernetes().bin, program);
  const { tool, version } = publishedTools[program];
  return join(locateTool(tool, version).bin, program);
}

/** The executable of a node's program, built on first use and cached by version. Throws when Go is missing or the build fails. */
export function buildNodeProgram(program: NodeProgram): Promise<string> {
  if (program === 'kubelet' || program === 'kube-proxy') return buildKubernetesProgram(program);
  return buildPublished(program, publishedTools[program]);
}

/** The executable of Helm, as `buildNodeProgram`. */
export function buildHelm(): Promise<string> {
  return buildPublished('helm', helm);
}

/** The executable that runs a chart's unit tests, as `buildNodeProgram`. */
export function buildHelmUnittest(): Promise<string> {
  return buildPublished('helm-unittest', helmUnittest);
}
