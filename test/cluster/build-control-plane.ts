import { createHash } from 'node:crypto';
import { access, constants, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  etcdVersion,
  kubernetesVersion,
  locateEtcd,
  locateKubernetes,
  type ControlPlaneProgram,
  type ModuleFolders,
} from './control-plane-cache.ts';
import { holdFileLock } from './file-lock.ts';
import { runProgram } from './run-program.ts';

async function exists(file: string, mode = constants.F_OK): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}

/** Linker flags: clients cannot parse the version of a control plane that was built without them. */
function versionFlags(): string {
  const [major, minor] = kubernetesVersion.split('.');
  const values = [
    `k8s.io/component-base/version.gitVersion=v${kubernetesVersion}`,
    `k8s.io/component-base/version.gitMajor=${major}`,
    `k8s.io/component-base/version.gitMinor=${minor}`,
    `k8s.io/client-go/pkg/version.gitVersion=v${kubernetesVersion}`,
  ];
  return ['-s', '-w', ...values.map((value) => `-X ${value}`)].join(' ');
}

/** Makes the module's folders and go.mod unless they are there; the go command completes go.mod and go.sum itself. */
async function prepareModule(folders: ModuleFolders, template: string): Promise<void> {
  await mkdir(folders.src, { recursive: true });
  await mkdir(folders.bin, { recursive: true });
  const goMod = join(folders.src, 'go.mod');
  if (!(await exists(goMod))) await copyFile(new URL(template, import.meta.url), goMod);
}

/** Builds one package into `bin/name`, unless it is there: into a file aside first, so that nobody ever runs half a program. */
async function buildProgram(
  folders: ModuleFolders,
  template: string,
  name: string,
  words: readonly string[],
): Promise<string> {
  const target = join(folders.bin, name);
  if (await exists(target, constants.X_OK)) return target;
  await mkdir(folders.bin, { recursive: true });
  await holdFileLock(join(folders.bin, '..', 'build.lock'), async () => {
    if (await exists(target, constants.X_OK)) return;
    await prepareModule(folders, template);
    const aside = join(folders.bin, `.${name}.${process.pid}`);
    try {
      await runProgram('go', ['build', '-mod=mod', '-o', aside, ...words], { cwd: folders.src });
      await rename(aside, target);
    } finally {
      await rm(aside, { force: true });
    }
  });
  return target;
}

/**
 * The executable of a program of the control plane, built on first use (minutes on a fresh machine) and cached by version.
 * Throws when Go is missing or the build fails.
 */
export function buildControlPlaneProgram(program: ControlPlaneProgram): Promise<string> {
  if (program === 'etcd') {
    const words = ['-ldflags', '-s -w', 'go.etcd.io/etcd/server/v3'];
    return buildProgram(locateEtcd(), `etcd-${etcdVersion}.go.mod`, program, words);
  }
  return buildProgram(locateKubernetes(), `kubernetes-${kubernetesVersion}.go.mod`, program, [
    '-ldflags',
    versionFlags(),
    `k8s.io/kubernetes/cmd/${program}`,
  ]);
}

/**
 * The executable of a Go program of this project, given by its one source file, built against the modules of the control plane
 * and cached by the source's hash.
 */
export async function buildGoProgram(name: string, source: URL): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(source))
    .digest('hex')
    .slice(0, 16);
  const folders = locateKubernetes();
  const folder = join(folders.src, `${name}-${hash}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'main.go'), await readFile(source));
  return buildProgram(folders, `kubernetes-${kubernetesVersion}.go.mod`, `${name}-${hash}`, [`./${name}-${hash}`]);
}
