import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { controllerNames } from '../operator/bootstrap/select-controllers.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import type { ClientProgram } from './controllers/start-client-program.ts';
import { listKwokNodes, startKwok } from './kwok/start-kwok.ts';
import { type SimulatedService, startSimulatedService } from './kwok/start-simulated-service.ts';
import { createKubernetesService } from './upstream/create-kubernetes-service.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';
import { disruptionSpecs, simulatedFocus, taintSpecs } from './upstream/simulated-specs.ts';

// Fewer than the replicas of the specs that want each on a node of its own.
const nodes = listKwokNodes(3);
const specs = { focus: [...disruptionSpecs.focus, ...simulatedFocus], processes: 12 };
const fewestSpecs = disruptionSpecs.fewest + 9;
const timeoutMillis = 1_800_000;
const isSoak = process.env['BAILIWICK_SOAK'] === '1';

describeCluster("upstream's own specs that need nodes, with simulated ones", () => {
  describe('embedded, beside the controllers and the scheduler of Kubernetes', () => {
    let simulated: SimulatedService;
    let kubeconfig: string;

    beforeAll(async () => {
      // Or Kubernetes' own would count budgets and watch nodes.
      const ours = ['disruption-controller', 'node-lifecycle-controller', 'taint-eviction-controller'];
      expect(controllerNames).toEqual(expect.arrayContaining(ours));
      simulated = await startSimulatedService(nodes);
      ({ kubeconfig } = simulated.service);
      await createKubernetesService(simulated.service);
    });

    afterAll(() => simulated?.stop());

    it('pass, all of disruption budgets among them', { timeout: timeoutMillis }, async () => {
      await expectUpstreamSpecs({ ...specs, kubeconfig }, fewestSpecs);
      await simulated.checkAlive();
    });

    it.runIf(isSoak)('pass, where taints drive pods away', { timeout: timeoutMillis }, async () => {
      await expectUpstreamSpecs({ focus: taintSpecs.focus, kubeconfig }, taintSpecs.fewest);
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
      await expectUpstreamSpecs({ ...specs, kubeconfig: cluster.kubeconfig }, fewestSpecs);
    });
  });
});
