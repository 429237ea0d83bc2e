import { runKernelCheck } from '../check/run-kernel-check.ts';
import { readAgentFlags } from '../config/agent-flags.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { openHostFiles } from '../status/host-files.ts';

/**
 * The command `check`: tells what the kernel lacks for what the configuration asks, and what that costs. Takes the flags of the agent;
 * resolves to the exit code, 1 when something is missing. Throws FlagError and StartError.
 */
export async function runCheck(words: readonly string[]): Promise<0 | 1> {
  const flags = readAgentFlags(words);
  const { configuration } = await loadConfiguration(flags);
  return runKernelCheck({
    files: openHostFiles(),
    skipNftablesVersionCheck: configuration.nftables.skipKernelVersionCheck,
    json: flags.output === 'json',
    write: (text) => void process.stdout.write(text),
  });
}
