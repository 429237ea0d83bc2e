import { afterAll, beforeAll, describe, it } from 'vitest';

import { controllerNames } from '../operator/bootstrap/select-controllers.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { startControllerManager, type ControllerManager } from './controllers/start-controller-manager.ts';
import { startService, type Service } from './service/start-service.ts';
import { createKubernetesService } from './upstream/create-kubernetes-service.ts';
import { embeddedFocus, embeddedLeftOut } from './upstream/embedded-specs.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';

const fewestSpecs = 205;
const timeoutMillis = 1_800_000;
const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const specs = {
  focus: embeddedFocus,
  skip: embeddedLeftOut.map(({ expression }) => expression),
  // Most wait for something most of the time.
  processes: 6,
};

describeCluster("upstream's own specs, embedded under the groups of Kubernetes", () => {
  let service: Service;
  let controllers: ControllerManager;

  beforeAll(async () => {
    service = await startService({ domain: 'k8s.io' });
    await createKubernetesService(service);
    // Workloads, endpoints, budgets and signatures are somebody else's; what the service has a controller for is its own.
    const others = ['*', ...controllerNames.map((name) => `-${name}`)];
    controllers = await startControllerManager(service, [`--controllers=${others.join(',')}`]);
  });

  afterAll(async () => {
    await controllers?.stop();
    await service?.stop();
  });

  it('pass', { timeout: timeoutMillis }, async () => {
    await expectUpstreamSpecs({ ...specs, kubeconfig: service.kubeconfig }, fewestSpecs);
    await controllers.checkAlive();
  });

  // Whoever changes the list should know that a cluster without nodes passes it.
  describe.runIf(isSoak)('at a real control plane', () => {
    let cluster: Cluster;

    beforeAll(async () => {
      cluster = await startCluster({ controllerManager: true });
    });

    afterAll(() => cluster?.stop());

    it('pass too', { timeout: timeoutMillis }, async () => {
      await expectUpstreamSpecs({ ...specs, kubeconfig: cluster.kubeconfig }, fewestSpecs);
    });
  });
});
