import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { findDebianMirror } from './debian-mirror.ts';
import { packFilledFolder } from './pack-image.ts';
import { runProgram } from './run-program.ts';
import { locateCached } from './tool-cache.ts';

const suite = 'bookworm';
const npmVersion = '11.19.1';

/** The base image of Dockerfiles, which no registry is needed for. */
export const nodeBaseReference = `docker.io/library/node:${process.versions.node.split('.')[0]}-${suite}-slim`;

/** What Debian's image has and no program in it needs. */
const leftovers = [
  'var/cache/apt',
  'var/lib/apt/lists',
  'var/log',
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
];

async function fillNodeBase(folder: string): Promise<void> {
  // What it mounts meanwhile is gone with its namespace, however it ends.
  const apart = ['--mount', '--pid', '--fork', '--kill-child'];
  const words = ['--variant=minbase', suite, folder, await findDebianMirror()];
  await runProgram('unshare', [...apart, 'debootstrap', ...words]);
  for (const name of leftovers) await rm(join(folder, name), { recursive: true, force: true });
  for (const name of ['var/cache/apt/archives/partial', 'var/lib/apt/lists/partial', 'var/log']) {
    await mkdir(join(folder, name), { recursive: true });
  }
  await copyFile(process.execPath, join(folder, 'usr/local/bin/node'));
  await runProgram('npm', ['install', '--global', '--prefix', join(folder, 'usr/local'), `npm@${npmVersion}`]);
  await runProgram('chroot', [folder, 'groupadd', '--gid', '1000', 'node']);
  const user = ['--uid', '1000', '--gid', 'node', '--shell', '/bin/bash', '--create-home', 'node'];
  await runProgram('chroot', [folder, 'useradd', ...user]);
}

/**
 * File of the archive of `nodeBaseReference`, made on first use from Debian's packages, the Node that runs this and npm: what the
 * published image has, without yarn and its entry point. Throws without root, `debootstrap` or a mirror of Debian.
 */
export function buildNodeBaseImage(): Promise<string> {
  const version = process.versions.node;
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const config = { Cmd: ['node'], Env: [`PATH=${path}`, `NODE_VERSION=${version}`] };
  const target = locateCached(`images/node-${version}-npm-${npmVersion}-${suite}.tar`);
  return packFilledFolder(target, { reference: nodeBaseReference, config }, fillNodeBase);
}
