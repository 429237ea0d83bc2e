import { access, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { ModuleFolders } from './tool-cache.ts';
import { holdFileLock } from './file-lock.ts';
import { runProgram } from './run-program.ts';

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/**
 * Makes `target` unless it is there: `make` writes a file (or folder) aside, which then takes its place, so that nobody ever meets half
 * of it; `lockFile` keeps two processes from doing the same work. Resolves to `target`; throws what `make` throws.
 */
export async function buildAside(
  target: string,
  lockFile: string,
  make: (aside: string) => Promise<void>,
): Promise<string> {
  if (await exists(target)) return target;
  await mkdir(join(target, '..'), { recursive: true });
  await mkdir(join(lockFile, '..'), { recursive: true });
  await holdFileLock(lockFile, async () => {
    if (await exists(target)) return;
    const aside = join(target, '..', `.${process.pid}-aside`);
    try {
      await make(aside);
      await rename(aside, target);
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  });
  return target;
}

/** A package to be built in a module of the rig's, whose `go.mod` is the file `template` beside this one. */
export interface GoModulePackage {
  readonly template: string;
  readonly name: string;
  readonly package: string;
  readonly flags?: readonly string[];
  /** Builds the package's tests instead. */
  readonly tests?: boolean;
}

/** The executable `bin/name`, built unless it is there. Throws when Go is missing or the build fails. */
export function buildGoModule(folders: ModuleFolders, wanted: GoModulePackage): Promise<string> {
  return buildAside(join(folders.bin, wanted.name), join(folders.bin, '..', 'build.lock'), async (aside) => {
    await mkdir(folders.src, { recursive: true });
    const goMod = join(folders.src, 'go.mod');
    // The go command completes go.mod and go.sum itself.
    if (!(await exists(goMod))) await copyFile(new URL(wanted.template, import.meta.url), goMod);
    const verb = wanted.tests ? ['test', '-c'] : ['build'];
    const words = [...verb, '-mod=mod', '-o', aside, ...(wanted.flags ?? []), wanted.package];
    await runProgram('go', words, { cwd: folders.src });
  });
}

/** The executable `bin/name` of a published package such as `example.org/tool@v1.2.3`, which brings its own `go.mod`. */
export function installGoPackage(
  folders: ModuleFolders,
  name: string,
  versionedPackage: string,
  flags: readonly string[] = [],
): Promise<string> {
  return buildAside(join(folders.bin, name), join(folders.bin, '..', 'build.lock'), async (aside) => {
    const folder = `${aside}.d`;
    try {
      await runProgram('go', ['install', ...flags, versionedPackage], { env: { GOBIN: folder } });
      await rename(join(folder, name), aside);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
