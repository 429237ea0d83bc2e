import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { type ReleaseRun, startRelease } from './start-webhooks.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';

const fewestSpecs = 30;

describeCluster("upstream's own specs of quotas and limit ranges, through our webhooks and controllers", () => {
  let cluster: Cluster;
  let run: ReleaseRun;

  beforeAll(async () => {
    cluster = await startCluster({
      controllerManager: true,
      controllerManagerFlags: ['--controllers=*,-resourcequota-controller'],
      apiServerFlags: ['--disable-admission-plugins=ResourceQuota,LimitRanger,ServiceAccount'],
    });
    run = await startRelease({ cluster });
  });

  afterAll(async () => {
    await run?.stop();
    await cluster?.stop();
  });

  it('pass against the API service before the host, which serves our kinds at the paths of the built-in ones', async () => {
    expect(await readFile(run.locateKubeconfig(0), 'utf8')).not.toContain(cluster.url);
    await expectUpstreamSpecs(
      {
        kubeconfig: run.locateKubeconfig(0),
        focus: ['ResourceQuota', 'LimitRange'],
        // Needs a node.
        skip: ['DRA. control plane supports count/resourceclaims'],
        processes: 6,
      },
      fewestSpecs,
    );
  }, 900_000);
});
