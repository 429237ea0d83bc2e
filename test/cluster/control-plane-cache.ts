import { homedir } from 'node:os';
import { join } from 'node:path';

/** Versions of what the rig builds; a folder of the cache is named after each. */
export const kubernetesVersion = '1.34.4';
export const etcdVersion = '3.7.3';

/** Programs of the control plane that the rig can build. */
export type ControlPlaneProgram = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler';

/** The folder that outlives checkouts, where only a fresh machine builds. */
function locateCache(): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'bailiwick');
}

/** The Go module that a program is built in (`src`) and where its executable lies (`bin`). */
export interface ModuleFolders {
  readonly src: string;
  readonly bin: string;
}

/** Folders of the module that builds Kubernetes' programs. */
export function locateKubernetes(): ModuleFolders {
  const folder = join(locateCache(), `kubernetes-${kubernetesVersion}`);
  return { src: join(folder, 'src'), bin: join(folder, 'bin') };
}

/** Folders of the module that builds etcd. */
export function locateEtcd(): ModuleFolders {
  const folder = join(locateCache(), `etcd-${etcdVersion}`);
  return { src: join(folder, 'src'), bin: join(folder, 'bin') };
}
