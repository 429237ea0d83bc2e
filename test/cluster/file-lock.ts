import { open, readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function tryToLock(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStaleLock(file: string): Promise<void> {
  const pid = Number(await readFile(file, 'utf8').catch(() => ''));
  if (pid === 0 || isAlive(pid)) return;
  // Renaming first lets one of many that saw the dead owner win; the others find nothing to rename.
  const aside = `${file}.${process.pid}`;
  await rename(file, aside).then(
    () => rm(aside, { force: true }),
    () => undefined,
  );
}

/** Runs `work` while no other process on this machine runs one for the same lock file; a lock of a dead process is taken over. */
export async function holdFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  while (!(await tryToLock(file))) {
    await removeStaleLock(file);
    await wait(250);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}
