import { existsSync } from 'node:fs';
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const mountPoint = '/sys/fs/cgroup';

/** Roots of the hierarchies: one of version 2, or one for each controller of version 1. */
async function listHierarchies(): Promise<string[]> {
  if (existsSync(join(mountPoint, 'cgroup.procs'))) return [mountPoint];
  const entries = await readdir(mountPoint, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(mountPoint, entry.name));
}

/** Makes a control group of that name in every hierarchy. */
export async function makeControlGroup(name: string): Promise<void> {
  for (const root of await listHierarchies()) await mkdir(join(root, name), { recursive: true });
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
}

async function removeTree(folder: string): Promise<void> {
  for (const inside of await listFolders(folder)) await removeTree(inside);
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function thawTree(folder: string): Promise<void> {
  await writeFile(join(folder, 'freezer.state'), 'THAWED', { flag: 'r+' }).catch(() => undefined);
  for (const inside of await listFolders(folder)) await thawTree(inside);
}

/** Lets what is paused in the control group go on, so that it can end: version 1 does not let it die. */
export async function thawControlGroup(name: string): Promise<void> {
  for (const root of await listHierarchies()) await thawTree(join(root, name));
}

/** Removes the control group and those in it from every hierarchy; throws while a process is in one of them. */
export async function removeControlGroup(name: string): Promise<void> {
  for (const root of await listHierarchies()) await removeTree(join(root, name));
}

/** Folders of the control group that are there. */
export async function listControlGroupFolders(name: string): Promise<string[]> {
  return (await listHierarchies()).map((root) => join(root, name)).filter((folder) => existsSync(folder));
}
