import { join } from 'node:path';

import { buildControlPlaneProgram } from '../cluster/build-control-plane.ts';
import { listControllerManagerFlags } from '../cluster/cluster-flags.ts';
import type { Service } from '../service/start-service.ts';
import { type ClientProgram, startClientProgram } from './start-client-program.ts';

/** Kubernetes' own controllers, as clients of an API service of ours. */
export type ControllerManager = ClientProgram;

/** Starts kube-controller-manager against a service, with the keys of the service; `flags` come after the rig's own. */
export async function startControllerManager(
  service: Service,
  flags: readonly string[] = [],
): Promise<ControllerManager> {
  const command = await buildControlPlaneProgram('kube-controller-manager');
  const plan = {
    ...{ address: '127.0.0.1', pki: join(service.dataDir, 'pki'), kubeconfig: service.kubeconfig },
    ...{ etcdPort: 0, peerPort: 0, apiServerPort: 0 },
  };
  return startClientProgram('kube-controller-manager', command, (folder) => [
    ...listControllerManagerFlags({ ...plan, folder }),
    ...flags,
  ]);
}
