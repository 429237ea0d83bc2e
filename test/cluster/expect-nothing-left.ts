import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { expect } from 'vitest';

/** Whether the process runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Processes that speak of the text in their command line, mounts or control groups. */
export async function findProcesses(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '');
    const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
    if ([words, mounts, groups].some((where) => where.includes(text))) found.push(pid);
  }
  return found;
}

/** Fails when a process, a trace or the folder of a cluster that ended is still there. */
export async function expectNothingLeft(cluster: { folder: string; traces: () => Promise<string[]> }): Promise<void> {
  expect(await findProcesses(basename(cluster.folder))).toEqual([]);
  expect(await cluster.traces()).toEqual([]);
  expect(existsSync(cluster.folder)).toBe(false);
}
