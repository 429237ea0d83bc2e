import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildControlPlaneProgram } from '../cluster/build-control-plane.ts';
import { listControllerManagerFlags } from '../cluster/cluster-flags.ts';
import { ProcessGroup } from '../cluster/process-group.ts';
import type { Service } from '../service/start-service.ts';

/** Kubernetes' own controllers, as clients of an API service of ours. */
export interface ControllerManager {
  /** What they logged so far. */
  readLog(): Promise<string>;
  /** Throws, with the end of the log, when the program has ended. */
  checkAlive(): Promise<void>;
  /** Ends the program and removes its folder. */
  stop(): Promise<void>;
}

/** Starts kube-controller-manager against a service, with the keys of the service; `flags` come after the rig's own. */
export async function startControllerManager(
  service: Service,
  flags: readonly string[] = [],
): Promise<ControllerManager> {
  const command = await buildControlPlaneProgram('kube-controller-manager');
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-controllers-'));
  const group = new ProcessGroup(folder);
  const logFile = join(folder, 'kube-controller-manager.log');
  const plan = {
    ...{ folder, address: '127.0.0.1', pki: join(service.dataDir, 'pki'), kubeconfig: service.kubeconfig },
    ...{ etcdPort: 0, peerPort: 0, apiServerPort: 0 },
  };
  const words = [...listControllerManagerFlags(plan), ...flags];
  group.start({ name: 'kube-controller-manager', command, words, logFile });
  return {
    readLog: () => readFile(logFile, 'utf8'),
    checkAlive: () => group.checkAlive(),
    stop: () => group.stop(),
  };
}
