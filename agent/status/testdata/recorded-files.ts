import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openHostFiles, type FilesystemSpace, type HostFiles } from '../host-files.ts';

/** A node whose files are in a folder beside this one, and whose file systems are as `filesystems.json` there says. */
export function openRecordedFiles(name: 'cgroup-v1' | 'cgroup-v2' | 'container'): HostFiles {
  const folder = fileURLToPath(new URL(name, import.meta.url));
  const files = openHostFiles(folder);
  const spaces = JSON.parse(readFileSync(`${folder}/filesystems.json`, 'utf8')) as Record<string, FilesystemSpace>;
  return {
    readText: (path) => files.readText(path),
    readBytes: (path) => files.readBytes(path),
    listNames: (path) => files.listNames(path),
    isThere: (path) => files.isThere(path),
    readSpace: async (path) => spaces[path],
  };
}
