import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { packFilledFolder } from '../cluster/pack-image.ts';
import { buildPauseProgram, fillBusyboxFolder, hashBusybox } from '../cluster/small-images.ts';
import { locateCached } from '../cluster/tool-cache.ts';

/** Names of images in upstream's specs, as `e2e.test --list-images` prints them. */
const pauseReference = 'registry.k8s.io/pause:3.10.1';
const webserverReference = 'registry.k8s.io/e2e-test-images/httpd:2.4.38-4';

/**
 * Files of the archives of images that upstream's specs run, made on first use: one that does nothing, and one that serves `/index.html` on
 * port 80. They have upstream's names, and programs of the rig's own.
 */
export async function buildSpecImages(): Promise<string[]> {
  const program = await buildPauseProgram();
  const pause = { reference: pauseReference, config: { Entrypoint: ['/pause'] } };
  const command = ['httpd', '-f', '-p', '80', '-h', '/www'];
  const webserver = { reference: webserverReference, config: { Cmd: command, Env: ['PATH=/bin'] } };
  return [
    await packFilledFolder(locateCached(`images/spec-${basename(program)}.tar`), pause, (folder) =>
      copyFile(program, join(folder, 'pause')),
    ),
    await packFilledFolder(
      locateCached(`images/spec-webserver-${await hashBusybox()}.tar`),
      webserver,
      async (folder) => {
        await fillBusyboxFolder(folder);
        await mkdir(join(folder, 'www'));
        await writeFile(join(folder, 'www/index.html'), 'It works!\n');
      },
    ),
  ];
}
