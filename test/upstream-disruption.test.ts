import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { controllerNames } from '../operator/bootstrap/select-controllers.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import type { ClientProgram } from './controllers/start-client-program.ts';
import { startControllerManager } from './controllers/start-controller-manager.ts';
import { startScheduler } from './controllers/start-scheduler.ts';
import { listKwokNodes, startKwok } from './kwok/start-kwok.ts';
import { type Service, startService } from './service/start-service.ts';
import { createKubernetesService } from './upstream/create-kubernetes-service.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';

/** Fewer than the replicas of the specs that want each on a node of its own. */
const nodeCount = 3;
const timeoutMillis = 900_000;
const isSoak = process.env['BAILIWICK_SOAK'] === '1';
// One of them looks on for a minute; the others end meanwhile.
const specs = { focus: [String.raw`\] DisruptionController `], processes: 12 };
const fewestSpecs = 19;

describeCluster("upstream's own specs of disruption budgets, with simulated nodes", () => {
  describe('embedded, beside the controllers and the scheduler of Kubernetes', () => {
    let service: Service;
    const clients: ClientProgram[] = [];

    beforeAll(async () => {
      expect(controllerNames).toContain('disruption-controller');
      service = await startService({ domain: 'k8s.io' });
      await createKubernetesService(service);
      const others = ['*', ...controllerNames.map((name) => `-${name}`)];
      clients.push(await startControllerManager(service, [`--controllers=${others.join(',')}`]));
      clients.push(await startScheduler(service.kubeconfig));
      clients.push(await startKwok(service, listKwokNodes(nodeCount)));
    });

    afterAll(async () => {
      await Promise.all(clients.map((client) => client.stop()));
      await service?.stop();
    });

    it('pass, all of them', { timeout: timeoutMillis }, async () => {
      await expectUpstreamSpecs({ ...specs, kubeconfig: service.kubeconfig }, fewestSpecs);
      for (const client of clients) await client.checkAlive();
    });
  });

  // Whoever changes how nodes are simulated should know that Kubernetes passes with them.
  describe.runIf(isSoak)('at a real control plane', () => {
    let cluster: Cluster;
    let kwok: ClientProgram;

    beforeAll(async () => {
      cluster = await startCluster({ controllerManager: true, scheduler: true });
      kwok = await startKwok(cluster, listKwokNodes(nodeCount));
    });

    afterAll(async () => {
      await kwok?.stop();
      await cluster?.stop();
    });

    it('pass too', { timeout: timeoutMillis }, async () => {
      await expectUpstreamSpecs({ ...specs, kubeconfig: cluster.kubeconfig }, fewestSpecs);
    });
  });
});
