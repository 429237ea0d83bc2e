import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

import { buildE2eBinary } from '../cluster/build-control-plane.ts';
import { packFilledFolder } from '../cluster/pack-image.ts';
import { buildPauseProgram, fillBusyboxFolder, hashBusybox } from '../cluster/small-images.ts';
import { locateCached } from '../cluster/tool-cache.ts';

const runFile = promisify(execFile);

/** The full name that upstream's specs have for an image. Throws when none of them runs it. */
async function findReference(name: string): Promise<string> {
  const { stdout } = await runFile(await buildE2eBinary(), ['--list-images']);
  const reference = stdout.split('\n').find((line) => line.endsWith(`/${name}`));
  if (reference === undefined) throw new Error(`upstream's specs have no image ${name}`);
  return reference;
}

/**
 * Files of the archives of images that upstream's specs run, made on first use: one that does nothing, and one that serves `/index.html` on
 * port 80. They have upstream's names, and programs of the rig's own.
 */
export async function buildSpecImages(): Promise<string[]> {
  const program = await buildPauseProgram();
  const pause = { reference: await findReference('pause:3.10.1'), config: { Entrypoint: ['/pause'] } };
  const command = ['httpd', '-f', '-p', '80', '-h', '/www'];
  const webserver = { reference: await findReference('httpd:2.4.38-4'), config: { Cmd: command, Env: ['PATH=/bin'] } };
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
