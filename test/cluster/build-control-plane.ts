import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { buildGoModule } from './build-go-module.ts';
import {
  etcdVersion,
  kubernetesVersion,
  locateEtcd,
  locateKubernetes,
  type ControlPlaneProgram,
} from './control-plane-cache.ts';

/** Programs of Kubernetes that the rig can build. */
export type KubernetesProgram = Exclude<ControlPlaneProgram, 'etcd'> | 'kubelet' | 'kube-proxy' | 'kubectl';

const kubernetesTemplate = `kubernetes-${kubernetesVersion}.go.mod`;

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

/**
 * The executable of a program of Kubernetes, built on first use (minutes on a fresh machine) and cached by version.
 * Throws when Go is missing or the build fails.
 */
export function buildKubernetesProgram(program: KubernetesProgram): Promise<string> {
  return buildGoModule(locateKubernetes(), {
    template: kubernetesTemplate,
    name: program,
    package: `k8s.io/kubernetes/cmd/${program}`,
    flags: ['-ldflags', versionFlags()],
  });
}

/** As `buildKubernetesProgram`, for a program of the control plane. */
export function buildControlPlaneProgram(program: ControlPlaneProgram): Promise<string> {
  if (program !== 'etcd') return buildKubernetesProgram(program);
  return buildGoModule(locateEtcd(), {
    template: `etcd-${etcdVersion}.go.mod`,
    name: program,
    package: 'go.etcd.io/etcd/server/v3',
    flags: ['-ldflags', '-s -w'],
  });
}

/** The executable of upstream's end-to-end specs, as `buildKubernetesProgram`. */
export function buildE2eBinary(): Promise<string> {
  return buildGoModule(locateKubernetes(), {
    template: kubernetesTemplate,
    name: 'e2e.test',
    package: 'k8s.io/kubernetes/test/e2e',
    flags: ['-ldflags', versionFlags()],
    tests: true,
  });
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
  const program = `${name}-${hash}`;
  return buildGoModule(folders, { template: kubernetesTemplate, name: program, package: `./${program}` });
}
