import { readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';

import { removeControlGroup, thawControlGroup } from './control-groups.ts';
import { runProgram } from './run-program.ts';

/** Writes on a machine's bridge whose it is, for `sweepDeadMachines`. */
export async function markBridge(bridge: string, supervisorPid: number, folder: string): Promise<void> {
  await runProgram('ip', ['link', 'set', 'dev', bridge, 'alias', `${supervisorPid} ${folder}`]);
}

async function isSupervisor(pid: number, folder: string): Promise<boolean> {
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return words.split('\0').includes(folder);
}

/** Removes what is left of machines whose supervisor was itself killed; their processes ended with it. */
export async function sweepDeadMachines(): Promise<void> {
  const links = JSON.parse(await runProgram('ip', ['-json', '-details', 'link', 'show', 'type', 'bridge'])) as {
    ifname?: string;
    ifalias?: string;
  }[];
  for (const { ifname = '', ifalias = '' } of links) {
    const [pid, folder] = ifalias.split(' ');
    if (!/^bailiwick\d+$/.test(ifname) || folder === undefined || (await isSupervisor(Number(pid), folder))) continue;
    await thawControlGroup(basename(folder));
    try {
      await removeControlGroup(basename(folder));
    } catch {
      // Some process of it is not done ending. The bridge says whose all this is: it stays for whoever sweeps next.
      continue;
    }
    // Several that start at once may sweep the same; what one has removed is no failure of the other.
    await rm(folder, { recursive: true, force: true });
    await runProgram('ip', ['link', 'delete', ifname]).catch(() => undefined);
  }
}
