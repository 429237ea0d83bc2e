import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { projectRoot } from '../run-command.ts';
import { crdFolders, renderCrds } from './render-crds.ts';

/**
 * Writes the files of the CustomResourceDefinitions and removes those of kinds that are gone, or, with `check`, only compares.
 * Returns the paths of those that were out of date.
 */
export async function renewCrds(check: boolean): Promise<string[]> {
  const files = renderCrds();
  const stale: string[] = [];
  for (const [path, text] of files) {
    const file = join(projectRoot, path);
    if ((await readFile(file, 'utf8').catch(() => '')) === text) continue;
    stale.push(path);
    if (check) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  for await (const path of glob(`{${crdFolders.join(',')}}/*.yaml`, { cwd: projectRoot })) {
    if (files.has(path)) continue;
    stale.push(path);
    if (!check) await rm(join(projectRoot, path));
  }
  return stale;
}
