import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const outputBytes = 64 << 20;

/** Names of what is in an archive; throws when it is not a whole tar archive. */
export async function listArchive(file: string): Promise<string[]> {
  const { stdout } = await run('tar', ['-tf', file], { maxBuffer: outputBytes });
  return stdout.split('\n').filter((line) => line !== '');
}

/** The content of one file of an archive. */
export async function readFromArchive(file: string, name: string): Promise<string> {
  const { stdout } = await run('tar', ['-xOf', file, name], { maxBuffer: outputBytes });
  return stdout;
}

/** Whether the pages of memory that an archive holds have `text` in them. */
export async function hasInMemory(file: string, text: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-archive-'));
  try {
    await run('tar', ['-xf', file, '-C', folder, '--wildcards', 'checkpoint/pages-*.img']);
    const pages = await readdir(join(folder, 'checkpoint'));
    const contents = await Promise.all(pages.map((name) => readFile(join(folder, 'checkpoint', name))));
    return contents.some((content) => content.includes(text));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Paths of the files below an agent's folder of archives, records and archives that are being made too; relative to it. Notes of what the
 * runtime is not done with yet are left out: they hold nothing of the container.
 */
export async function listCheckpointFiles(rootDir: string): Promise<string[]> {
  const folder = join(rootDir, 'checkpoints');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return paths.filter((path) => !path.startsWith('.dumping/')).toSorted();
}

/** Permissions of a file, as `600`. */
export async function readMode(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o7777).toString(8);
}
