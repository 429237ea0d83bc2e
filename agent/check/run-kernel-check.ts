import type { Logger } from '../../platform/process/logger.ts';
import type { HostFiles } from '../status/host-files.ts';
import { planKernelFeatures, type KernelFeature } from './plan-kernel-features.ts';
import { readKernelFacts, readNftVersion } from './read-kernel-facts.ts';

/** What is checked, and how it is told. */
export interface KernelCheckOptions {
  readonly files: HostFiles;
  /** The option `nftables.skipKernelVersionCheck`. */
  readonly skipNftablesVersionCheck: boolean;
}

async function gather({ files, skipNftablesVersionCheck }: KernelCheckOptions): Promise<KernelFeature[]> {
  const [facts, nftVersion] = await Promise.all([readKernelFacts(files), readNftVersion()]);
  return planKernelFeatures({ ...facts, nftVersion, skipNftablesVersionCheck });
}

function formatLines(features: readonly KernelFeature[]): string {
  const width = Math.max(...features.map(({ name }) => name.length));
  const lines = features.flatMap(({ name, requirement, isMet, found, cost }) => {
    const line = `${isMet ? 'ok     ' : 'missing'}  ${name.padEnd(width)}  needs ${requirement}; has ${found}`;
    return isMet ? [line] : [line, `         costs: ${cost}`];
  });
  const missing = features.filter(({ isMet }) => !isMet).length;
  return `${[...lines, missing === 0 ? 'nothing is missing' : `${missing} of ${features.length} missing`].join('\n')}\n`;
}

/** Writes what the node's kernel can do and cannot, as lines or as JSON; resolves to the exit code: 1 when something is missing. */
export async function runKernelCheck(
  options: KernelCheckOptions & { readonly json: boolean; readonly write: (text: string) => void },
): Promise<0 | 1> {
  const features = await gather(options);
  options.write(options.json ? `${JSON.stringify(features, undefined, 2)}\n` : formatLines(features));
  return features.every(({ isMet }) => isMet) ? 0 : 1;
}

/** Logs once what the node's kernel lacks, and what that costs. */
export async function reportKernel(options: KernelCheckOptions & { readonly logger: Logger }): Promise<void> {
  for (const { name, requirement, isMet, found, cost } of await gather(options)) {
    if (!isMet) options.logger.warn({ feature: name, requirement, found, cost }, 'the kernel lacks a feature');
  }
}
