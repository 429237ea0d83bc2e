import { buildControlPlaneProgram } from '../cluster/build-control-plane.ts';
import { listSchedulerFlags } from '../cluster/cluster-flags.ts';
import { type ClientProgram, startClientProgram } from './start-client-program.ts';

/** Starts kube-scheduler against the API server of a kubeconfig. */
export async function startScheduler(kubeconfig: string): Promise<ClientProgram> {
  const command = await buildControlPlaneProgram('kube-scheduler');
  const unused = { address: '', pki: '', etcdPort: 0, peerPort: 0, apiServerPort: 0 };
  return startClientProgram('kube-scheduler', command, (folder) =>
    listSchedulerFlags({ ...unused, folder, kubeconfig }),
  );
}
