import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildAside } from './build-go-module.ts';
import { packFilledFolder } from './pack-image.ts';
import { runProgram } from './run-program.ts';
import { locateCached } from './tool-cache.ts';

const busyboxProgram = '/bin/busybox';

/** The image of a pod's first container, as containerd is told. */
export const pauseReference = 'localhost/pause:1';

/** Name of an image with the programs of Debian's busybox, and users `root` (0) and `nobody` (65532). */
export const busyboxReference = 'localhost/busybox:1';

/**
 * Name of an image of busybox and `workload`, which has a state to lose: `workload MEBIBYTES TEXT` fills so much memory, keeps the text
 * there back to front, prints `ready`, and then `count 1`, `count 2`… ten times a second. On SIGUSR1 it prints a sum of its memory.
 */
export const workloadReference = 'localhost/workload:1';

async function hashFile(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 16);
}

async function buildProgramInC(name: string): Promise<string> {
  const source = fileURLToPath(new URL(`${name}.c`, import.meta.url));
  const target = locateCached(`images/${name}-${await hashFile(source)}`);
  return buildAside(target, `${target}.lock`, async (aside) => {
    await runProgram('gcc', ['-O2', '-static', '-o', aside, source]);
  });
}

/** The executable that only waits and reaps, built on first use. Throws when there is no C compiler. */
export function buildPauseProgram(): Promise<string> {
  return buildProgramInC('pause');
}

/** File of the archive of `pauseReference`, made on first use. */
export async function buildPauseImage(): Promise<string> {
  const program = await buildPauseProgram();
  return packFilledFolder(
    `${program}.tar`,
    { reference: pauseReference, config: { Entrypoint: ['/pause'] } },
    async (folder) => {
      await copyFile(program, join(folder, 'pause'));
    },
  );
}

/** What a name of a file says of the machine's busybox, so that another one makes another image. */
export function hashBusybox(): Promise<string> {
  return hashFile(busyboxProgram);
}

/** Fills the root of an image with the programs of Debian's busybox, and with its users. */
export async function fillBusyboxFolder(folder: string): Promise<void> {
  for (const name of ['bin', 'etc', 'tmp', 'root']) await mkdir(join(folder, name));
  await chmod(join(folder, 'tmp'), 0o1777);
  await copyFile(busyboxProgram, join(folder, 'bin/busybox'));
  const names = (await runProgram(busyboxProgram, ['--list'])).split('\n').filter((name) => name && name !== 'busybox');
  for (const name of names) await symlink('busybox', join(folder, 'bin', name));
  await writeFile(join(folder, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnobody:x:65532:65532::/tmp:/bin/sh\n');
  // Looking up names otherwise is what a static program cannot do.
  await writeFile(join(folder, 'etc/nsswitch.conf'), 'hosts: files\n');
  await writeFile(join(folder, 'etc/group'), 'root:x:0:\nnobody:x:65532:\n');
}

/** File of the archive of `busyboxReference`, made on first use. */
export async function buildBusyboxImage(): Promise<string> {
  const target = locateCached(`images/busybox-1-${await hashBusybox()}.tar`);
  const config = { Cmd: ['sh'], Env: ['PATH=/bin'] };
  return packFilledFolder(target, { reference: busyboxReference, config }, fillBusyboxFolder);
}

/** File of the archive of `workloadReference`, made on first use. */
export async function buildWorkloadImage(): Promise<string> {
  const program = await buildProgramInC('workload');
  const config = { Entrypoint: ['/bin/workload'], Env: ['PATH=/bin'] };
  return packFilledFolder(
    `${program}-${await hashBusybox()}.tar`,
    { reference: workloadReference, config },
    async (folder) => {
      await fillBusyboxFolder(folder);
      await copyFile(program, join(folder, 'bin/workload'));
    },
  );
}
