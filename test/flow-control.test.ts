import { afterAll, beforeAll, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { startService, type Service } from './service/start-service.ts';
import { createKubernetesService } from './upstream/create-kubernetes-service.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';

const timeoutMillis = 300_000;

// The two on fairness and priority skip themselves as flaky; the dispatcher's own tests make the same experiments.
describeCluster("upstream's own specs of API priority and fairness", () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ domain: 'k8s.io' });
    await createKubernetesService(service);
  });

  afterAll(() => service?.stop());

  it('pass', { timeout: timeoutMillis }, async () => {
    await expectUpstreamSpecs({ kubeconfig: service.kubeconfig, focus: ['API priority and fairness'] }, 3);
  });
});
