import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';

const fewestSpecs = 5;

describeCluster("upstream's own specs of admission policies, embedded under the groups of Kubernetes", () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ domain: 'k8s.io' });
    // Upstream's program looks it up before anything else, whatever it is going to test.
    const { status, text } = await service.request('POST', '/api/v1/namespaces/default/services', {
      body: {
        metadata: { name: 'kubernetes' },
        spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], ports: [{ port: 443, protocol: 'TCP' }] },
      },
    });
    expect(status, text).toBe(201);
  });
  afterAll(() => service?.stop());

  it('pass', async () => {
    await expectUpstreamSpecs(
      {
        kubeconfig: service.kubeconfig,
        focus: ['ValidatingAdmissionPolicy'],
        // One needs definitions of custom resources, which are for a host, the other a node.
        skip: ['should type check a CRD', 'can restrict access by-node'],
        processes: 2,
      },
      fewestSpecs,
    );
  }, 900_000);
});
