import { existsSync } from 'node:fs';

import { locateNodeProgram, nodePrograms } from './build-node-program.ts';
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

/** Why suites that need a cluster with a real node cannot run on this machine; `undefined` when they can. */
export function nodeSkipReason(): string | undefined {
  if (process.platform !== 'linux') return 'a real node needs Linux';
  if (process.getuid?.() !== 0) return 'a real node needs root';
  if (!runs('unshare', '--mount', '--net', '--pid', '--fork', 'true')) {
    return 'a real node needs namespaces of its own, which root may not make here';
  }
  const cluster = clusterSkipReason();
  if (cluster !== undefined) return cluster;
  const toRun = explainMissing('a real node', listMissing(packagesToRun));
  if (toRun !== undefined) return toRun;
  if (nodePrograms.every((program) => isExecutable(locateNodeProgram(program)))) return undefined;
  if (!runs('go', 'version')) return 'a real node is built with Go, which is missing here';
  if (!runs('gcc', '--version')) return 'a real node is built with a C compiler, which is missing here';
  if (runs('pkg-config', '--exists', 'libseccomp')) return undefined;
  return 'a real node is built with the packages pkg-config and libseccomp-dev, which are missing here';
}

/** Why images cannot be built from a Dockerfile on this machine; `undefined` when they can. */
export function imageSkipReason(): string | undefined {
  if (process.getuid?.() !== 0) return 'building an image needs root';
  return explainMissing('building an image', listMissing(packagesToBuildImages));
}
