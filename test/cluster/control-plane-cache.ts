import { locateTool, type ModuleFolders } from './tool-cache.ts';

/** Versions of what the rig builds; a folder of the cache is named after each. */
export const kubernetesVersion = '1.34.4';
export const etcdVersion = '3.7.3';

/** Programs of the control plane that the rig can build. */
export type ControlPlaneProgram = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler';

/** Folders of the module that builds Kubernetes' programs. */
export function locateKubernetes(): ModuleFolders {
  return locateTool('kubernetes', kubernetesVersion);
}

/** Folders of the module that builds etcd. */
export function locateEtcd(): ModuleFolders {
  return locateTool('etcd', etcdVersion);
}
