import { afterAll, beforeAll, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import { type ReleaseRun, startRelease } from './start-webhooks.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';
import { type RenamingProxy, startRenamingProxy } from './upstream/start-renaming-proxy.ts';

const fewestSpecs = 6;

describeCluster("upstream's own specs of admission policies, through our webhooks", () => {
  let cluster: Cluster;
  let run: ReleaseRun;
  let proxy: RenamingProxy;

  beforeAll(async () => {
    cluster = await startCluster({
      controllerManager: true,
      controllerManagerFlags: ['--controllers=*,-validatingadmissionpolicy-status-controller'],
      apiServerFlags: ['--disable-admission-plugins=ValidatingAdmissionPolicy,ServiceAccount'],
    });
    run = await startRelease({ cluster });
    proxy = await startRenamingProxy(cluster, {
      group: 'admissionregistration.k8s.io',
      hostGroup: 'admissionregistration.bailiwick.dev',
      resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    });
  });

  afterAll(async () => {
    await proxy?.close();
    await run?.stop();
    await cluster?.stop();
  });

  it('pass before the real cluster, whose own plugin and controller are off', async () => {
    await expectUpstreamSpecs(
      {
        kubeconfig: proxy.kubeconfig,
        focus: ['ValidatingAdmissionPolicy'],
        // Needs a node.
        skip: ['can restrict access by-node'],
        processes: 2,
      },
      fewestSpecs,
    );
  }, 900_000);
});
