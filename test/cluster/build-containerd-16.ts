import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { buildAside } from './build-go-module.ts';
import { runProgram } from './run-program.ts';
import { locateTool } from './tool-cache.ts';

/** Executables of Debian 12's containerd, which knows no checkpoints. */
export interface Containerd16 {
  readonly containerd: string;
  readonly shim: string;
  readonly ctr: string;
}

/** Where they are once they were unpacked. */
export function locateContainerd16(): Containerd16 {
  const { bin } = locateTool('containerd', '1.6-debian');
  return {
    containerd: join(bin, 'containerd'),
    shim: join(bin, 'containerd-shim-runc-v2'),
    ctr: join(bin, 'ctr'),
  };
}

/** The executables, from Debian's package, which is unpacked on first use and not installed. Throws where apt cannot get it. */
export async function buildContainerd16(): Promise<Containerd16> {
  const { bin } = locateTool('containerd', '1.6-debian');
  await buildAside(bin, join(bin, '..', 'build.lock'), async (aside) => {
    const scratch = `${aside}.d`;
    try {
      await mkdir(scratch, { recursive: true });
      await runProgram('apt-get', ['download', '-qq', 'containerd=1.6*'], { cwd: scratch });
      const [file] = await readdir(scratch);
      if (file === undefined) throw new Error('apt brought no package');
      await runProgram('dpkg-deb', ['--extract', file, 'root'], { cwd: scratch });
      await rename(join(scratch, 'root/usr/bin'), aside);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
  return locateContainerd16();
}
