import { controllerNames } from '../../operator/bootstrap/select-controllers.ts';
import type { ClientProgram } from '../controllers/start-client-program.ts';
import { startControllerManager } from '../controllers/start-controller-manager.ts';
import { startScheduler } from '../controllers/start-scheduler.ts';
import { type Service, startService } from '../service/start-service.ts';
import { type KwokNode, startKwok } from './start-kwok.ts';

/** An API service of ours under the groups of Kubernetes, with nodes that seem to run pods. */
export interface SimulatedService {
  readonly service: Service;
  /** Throws when one of the programs around the service has ended. */
  checkAlive(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the service, and as its clients Kubernetes' own scheduler, kwok, and those of Kubernetes' own controllers that the service has no
 * controller for. Resolves when the nodes take pods.
 */
export async function startSimulatedService(nodes: readonly KwokNode[]): Promise<SimulatedService> {
  const service = await startService({ domain: 'k8s.io' });
  const clients: ClientProgram[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.stop()));
    await service.stop();
  };
  try {
    const others = ['*', ...controllerNames.map((name) => `-${name}`)];
    clients.push(await startControllerManager(service, [`--controllers=${others.join(',')}`]));
    clients.push(await startScheduler(service.kubeconfig));
    clients.push(await startKwok(service, nodes));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    service,
    async checkAlive() {
      for (const client of clients) await client.checkAlive();
    },
    stop,
  };
}
