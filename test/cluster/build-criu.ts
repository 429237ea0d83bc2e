import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { buildAside } from './build-go-module.ts';
import { findDebianMirror } from './debian-mirror.ts';
import { runProgram } from './run-program.ts';
import { locateTool } from './tool-cache.ts';

const version = '4.2.1';
const sourceSha256 = '29ec0ee09e296479fe7048c80980e8ef1d0684d0b0204c2b101dfea19f6725b9';

/** Debian's packages that `buildCriu` needs. */
export const criuBuildPackages = [
  ...['build-essential', 'pkg-config', 'curl', 'xz-utils', 'libprotobuf-dev', 'libprotobuf-c-dev'],
  ...['protobuf-c-compiler', 'protobuf-compiler', 'python3-protobuf', 'libnl-3-dev', 'libcap-dev', 'libnet1-dev'],
  ...['libbsd-dev', 'uuid-dev', 'libaio-dev'],
] as const;

/** Where CRIU's executable is once it is built. */
export function locateCriu(): string {
  return join(locateTool('criu', version).bin, 'criu');
}

/**
 * The executable of CRIU, built from Debian's source on first use, because Debian 12's own does not know newer kernels. Throws when the
 * source cannot be had, is not the known one, or does not build.
 */
export function buildCriu(): Promise<string> {
  const folders = locateTool('criu', version);
  return buildAside(locateCriu(), join(folders.bin, '..', 'build.lock'), async (aside) => {
    const archive = `${aside}.tar.xz`;
    const source = `${aside}.d`;
    try {
      const url = `${await findDebianMirror()}pool/main/c/criu/criu_${version}.orig.tar.xz`;
      await runProgram('curl', ['-fsSL', '--retry', '3', '-o', archive, url]);
      const sum = createHash('sha256')
        .update(await readFile(archive))
        .digest('hex');
      if (sum !== sourceSha256) throw new Error(`the source of CRIU ${version} is another one: ${sum}`);
      await mkdir(source, { recursive: true });
      await runProgram('tar', ['xf', archive, '-C', source, '--strip-components=1']);
      await runProgram('make', ['-s', '-j2', 'NO_GNUTLS=1', 'criu'], { cwd: source });
      await copyFile(join(source, 'criu/criu'), aside);
    } finally {
      await rm(source, { recursive: true, force: true });
      await rm(archive, { force: true });
    }
  });
}
