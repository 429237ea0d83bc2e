import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { buildAside } from './build-go-module.ts';
import { runProgram } from './run-program.ts';

/** An image of one layer. */
export interface ImageContent {
  readonly reference: string;
  /** The root of its file system; all belongs to root. */
  readonly folder: string;
  /** What the image says of itself, as `config` of an image configuration. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Writes the image as an archive that `ctr images import`, `docker load` and buildah read; the same content gives the same bytes. */
async function packImage(content: ImageContent, tarFile: string): Promise<void> {
  const created = new Date(0).toISOString();
  const aside = await mkdtemp(join(tmpdir(), 'bailiwick-image-'));
  try {
    const layer = join(aside, 'layer.tar');
    const sameBytes = ['--numeric-owner', '--mtime=@0', '--sort=name'];
    await runProgram('tar', [...sameBytes, '-C', content.folder, '-cf', layer, '.']);
    const hash = createHash('sha256');
    await pipeline(createReadStream(layer), hash);
    const digest = hash.digest('hex');
    const config = JSON.stringify({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      created,
      config: content.config,
      rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
      history: [{ created, created_by: 'the rig' }],
    });
    const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
    await writeFile(join(aside, configName), config);
    const manifest = [{ Config: configName, RepoTags: [content.reference], Layers: ['layer.tar'] }];
    await writeFile(join(aside, 'manifest.json'), JSON.stringify(manifest));
    await runProgram('tar', [...sameBytes, '-C', aside, '-cf', tarFile, 'manifest.json', configName, 'layer.tar']);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Makes the archive `tarFile` of an image, unless it is there, from a folder that `fill` fills. */
export function packFilledFolder(
  tarFile: string,
  content: Omit<ImageContent, 'folder'>,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  return buildAside(tarFile, `${tarFile}.lock`, async (aside) => {
    const folder = await mkdtemp(join(tmpdir(), 'bailiwick-image-root-'));
    try {
      await chmod(folder, 0o755);
      await fill(folder);
      await packImage({ ...content, folder }, aside);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
