import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { HostFiles } from '../status/host-files.ts';
import { parseReleaseValue } from '../status/parse-proc.ts';
import type { KernelFacts } from './plan-kernel-features.ts';

const run = promisify(execFile);
const decompress = promisify(gunzip);
const nftMillis = 5_000;
const maxConfigBytes = 4 * 1024 * 1024;

/** Version of the `nft` command; `undefined` when there is none. */
export async function readNftVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await run('nft', ['--version'], { timeout: nftMillis });
    return /\bv(\d+(?:\.\d+)*)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

async function readConfig(files: HostFiles, kernelVersion: string): Promise<string | undefined> {
  const packed = await files.readBytes('/proc/config.gz');
  if (packed !== undefined) {
    try {
      return (await decompress(packed, { maxOutputLength: maxConfigBytes })).toString('utf8');
    } catch {
      return undefined;
    }
  }
  return files.readText(`/boot/config-${kernelVersion}`);
}

/** What the node's files say of its kernel, all but what a command must be asked for. */
export async function readKernelFacts(
  files: HostFiles,
): Promise<Omit<KernelFacts, 'nftVersion' | 'skipNftablesVersionCheck'>> {
  const kernelVersion = ((await files.readText('/proc/sys/kernel/osrelease')) ?? '').trim();
  const config = await readConfig(files, kernelVersion);
  const isV2 = await files.isThere('/sys/fs/cgroup/cgroup.controllers');
  const isV1 = (await files.isThere('/sys/fs/cgroup/memory')) || (await files.isThere('/sys/fs/cgroup/cpu'));
  const words = ((await files.readText('/proc/cmdline')) ?? '').trim().split(/\s+/);
  return {
    kernelVersion,
    cgroup: isV2 ? 'v2' : isV1 ? 'v1' : undefined,
    pressure: {
      isThere: await files.isThere('/proc/pressure/memory'),
      configured: config === undefined ? undefined : parseReleaseValue(config, 'CONFIG_PSI') === 'y' ? 'y' : 'n',
      argument: words.findLast((word) => word.startsWith('psi='))?.slice('psi='.length),
    },
  };
}
