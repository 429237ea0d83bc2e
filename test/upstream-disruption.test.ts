import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { controllerNames } from '../operator/bootstrap/select-controllers.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import type { ClientProgram } from './controllers/start-client-program.ts';
import { listKwokNodes, startKwok } from './kwok/start-kwok.ts';
import { type SimulatedService, startSimulatedService } from './kwok/start-simulated-service.ts';
import { createKubernetesService } from './upstream/create-kubernetes-service.ts';
import { disruptionSpecs } from './upstream/disruption-specs.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';

// Fewer than the replicas of the specs that want each on a node of its own.
const nodes = listKwokNodes(3);
const { focus, fewest } = disruptionSpecs;
// One of them looks on for a minute; the others end meanwhile.
const processes = 12;
const timeoutMillis = 900_000;
const isSoak = process.env['BAILIWICK_SOAK'] === '1';

describeCluster("upstream's own specs of disruption budgets, with simulated nodes", () => {
  describe('embedded, beside the controllers and the scheduler of Kubernetes', () => {
    let simulated: SimulatedService;

    beforeAll(async () => {
      // Or Kubernetes' own would count.
      expect(controllerNames).toContain('disruption-controller');
      simulated = await startSimulatedService(nodes);
      await createKubernetesService(simulated.service);
    });

    afterAll(() => simulated?.stop());

    it('pass, all of them', { timeout: timeoutMillis }, async () => {
      await expectUpstreamSpecs({ kubeconfig: simulated.service.kubeconfig, focus, processes }, fewest);
      await simulated.checkAlive();
    });
  });

  // Whoever changes how nodes are simulated should know that Kubernetes passes with them.
  describe.runIf(isSoak)('at a real control plane', () => {
    let cluster: Cluster;
    let kwok: ClientProgram;

    beforeAll(async () => {
      cluster = await startCluster({ controllerManager: true, scheduler: true });
      kwok = await startKwok(cluster, nodes);
    });

    afterAll(async () => {
      await kwok?.stop();
      await cluster?.stop();
    });

    it('pass too', { timeout: timeoutMillis }, async () => {
      await expectUpstreamSpecs({ kubeconfig: cluster.kubeconfig, focus, processes }, fewest);
    });
  });
});
