import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { holdFileLock } from './file-lock.ts';
import { buildNodeBaseImage, nodeBaseReference } from './node-base-image.ts';
import { runProgram } from './run-program.ts';

/** Images and layers, some twenty for a build. */
const mostImages = 200;

/** What to build an image from. */
export interface BuildImageOptions {
  /** Folder that `COPY` copies from. */
  readonly context: string;
  readonly dockerfile: string;
  /** Name that the image gets, with its registry: `localhost/web:1`. */
  readonly reference: string;
  readonly buildArguments?: Readonly<Record<string, string>>;
}

/** Lets npm in a `RUN` reach the registry that it reaches here; nothing of it gets into the image. */
async function listNpmVolumes(folder: string): Promise<string[]> {
  const ask = async (key: string): Promise<string> => (await runProgram('npm', ['config', 'get', key])).trim();
  const authorities = [await ask('cafile'), process.env['NODE_EXTRA_CA_CERTS'] ?? ''];
  const authority = authorities.find((file) => file !== '' && existsSync(file));
  const lines = [`registry=${await ask('registry')}`, ...(authority ? ['cafile=/run/authorities.pem'] : [])];
  const file = join(folder, 'npmrc');
  await writeFile(file, `${lines.join('\n')}\n`);
  return [
    `--volume=${file}:/usr/local/etc/npmrc:ro`,
    ...(authority ? [`--volume=${authority}:/run/authorities.pem:ro`] : []),
  ];
}

/** Fills `tarFile` with what is built from `base`, an archive; `storage` keeps layers and is begun anew when there are many of the past. */
async function buildInto(
  tarFile: string,
  places: { readonly scratch: string; readonly storage: string; readonly base: string },
  options: BuildImageOptions,
): Promise<void> {
  const { scratch, storage, base } = places;
  const settings = join(scratch, 'containers.conf');
  // It makes its networks' folder even when it builds in none.
  await writeFile(settings, `[network]\nnetwork_config_dir = "${join(scratch, 'networks')}"\n`);
  const buildah = (words: readonly string[]): Promise<string> => {
    const folders = ['--root', storage, '--runroot', join(scratch, 'run'), '--storage-driver', 'overlay'];
    // What it mounts is gone with its namespace, however it ends.
    return runProgram('unshare', ['--mount', '--fork', '--kill-child', 'buildah', ...folders, ...words], {
      env: { CONTAINERS_CONF: settings },
    });
  };
  const images = await buildah(['images', '--all', '--quiet']);
  if (images.split('\n').length > mostImages) await rm(storage, { recursive: true, force: true });
  const known = await buildah(['images', '--quiet', nodeBaseReference]).catch(() => '');
  if (known.trim() === '') await buildah(['pull', '--quiet', `docker-archive:${base}`]);
  const words = ['--isolation', 'chroot', '--pull-never', '--layers', '--format', 'docker', '--quiet'];
  const build = Object.entries(options.buildArguments ?? {}).map(([name, value]) => `--build-arg=${name}=${value}`);
  await buildah([
    ...['build', ...words, ...build, ...(await listNpmVolumes(scratch))],
    ...['--file', options.dockerfile, '--tag', options.reference, options.context],
  ]);
  await buildah(['push', '--quiet', options.reference, `docker-archive:${tarFile}:${options.reference}`]);
}

/**
 * Builds an image from a Dockerfile whose bases are `nodeBaseReference` and `scratch`, and writes it as an archive to `tarFile`, which
 * must not be there yet. Layers are kept in the cache. Throws without root or `buildah`, or when the build fails.
 */
export async function buildImage(options: BuildImageOptions, tarFile: string): Promise<void> {
  const base = await buildNodeBaseImage();
  // Layers of another base are of no use.
  const storage = base.replace(/\.tar$/, '-layers');
  const scratch = await mkdtemp(join(tmpdir(), 'bailiwick-build-'));
  try {
    await holdFileLock(`${storage}.lock`, () => buildInto(tarFile, { scratch, storage, base }, options));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
