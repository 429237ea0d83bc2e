import { existsSync } from 'node:fs';

import { locateContainerd16 } from './build-containerd-16.ts';
import { criuBuildPackages, locateCriu } from './build-criu.ts';
import { locateNodeProgram, nodePrograms, runtimePrograms, type NodeProgram } from './build-node-program.ts';
import { clusterSkipReason, isExecutable, runs } from './cluster-skip-reason.ts';

/** Debian's packages, each with a program of it. */
const packagesToRun = { iproute2: 'ip', nftables: 'nft', iptables: 'iptables', 'busybox-static': 'busybox' };
const packagesToBuildImages = { buildah: 'buildah', debootstrap: 'debootstrap' };

function listMissing(packages: Readonly<Record<string, string>>): string[] {
  const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  return Object.entries(packages)
    .filter(([, program]) => !folders.some((folder) => existsSync(`${folder}/${program}`)))
    .map(([name]) => name);
}

function explainMissing(what: string, packages: readonly string[]): string | undefined {
  return packages.length > 0 ? `${what} needs the packages ${packages.join(', ')}, which are missing here` : undefined;
}

/** Why a machine of the rig's cannot be made here; `undefined` when it can. */
function machineSkipReason(what: string): string | undefined {
  if (process.platform !== 'linux') return `${what} needs Linux`;
  if (process.getuid?.() !== 0) return `${what} needs root`;
  if (!runs('unshare', '--mount', '--net', '--pid', '--fork', 'true')) {
    return `${what} needs namespaces of its own, which root may not make here`;
  }
  return explainMissing(what, listMissing(packagesToRun));
}

function buildSkipReason(what: string, programs: readonly NodeProgram[]): string | undefined {
  if (programs.every((program) => isExecutable(locateNodeProgram(program)))) return undefined;
  if (!runs('go', 'version')) return `${what} is built with Go, which is missing here`;
  if (!runs('gcc', '--version')) return `${what} is built with a C compiler, which is missing here`;
  if (runs('pkg-config', '--exists', 'libseccomp')) return undefined;
  return `${what} is built with the packages pkg-config and libseccomp-dev, which are missing here`;
}

/** Why suites that need a cluster with a real node cannot run on this machine; `undefined` when they can. */
export function nodeSkipReason(): string | undefined {
  return machineSkipReason('a real node') ?? clusterSkipReason() ?? buildSkipReason('a real node', nodePrograms);
}

/** Why suites that need a container runtime without a cluster cannot run on this machine; `undefined` when they can. */
export function runtimeSkipReason(): string | undefined {
  return machineSkipReason('a container runtime') ?? buildSkipReason('a container runtime', runtimePrograms);
}

/** Why containers cannot be checkpointed on this machine; `undefined` when they can. */
export function criuSkipReason(): string | undefined {
  if (isExecutable(locateCriu())) return undefined;
  const missing = criuBuildPackages.filter((name) => !runs('dpkg', '--status', name));
  return missing.length === 0
    ? undefined
    : `CRIU is built with the packages ${missing.join(', ')}, which are missing here`;
}

/** Why there is no old containerd on this machine; `undefined` when there is. */
export function containerd16SkipReason(): string | undefined {
  if (isExecutable(locateContainerd16().containerd)) return undefined;
  return runs('apt-cache', 'show', 'containerd=1.6*') ? undefined : 'an old containerd is a package of Debian 12';
}

/** Why images cannot be built from a Dockerfile on this machine; `undefined` when they can. */
export function imageSkipReason(): string | undefined {
  if (process.getuid?.() !== 0) return 'building an image needs root';
  return explainMissing('building an image', listMissing(packagesToBuildImages));
}
