import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { type ReleaseRun, startRelease } from './start-webhooks.ts';
import { runUpstreamSpecs, type UpstreamSpec } from './upstream/run-upstream-specs.ts';

/** Specs that must be among those that pass, so that a changed name cannot empty the run. */
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
    const specs = await runUpstreamSpecs({
      kubeconfig: run.locateKubeconfig(0),
      focus: ['ResourceQuota', 'LimitRange'],
      // Needs a node.
      skip: ['DRA. control plane supports count/resourceclaims'],
      processes: 6,
    });
    for (const { name, state, failure } of specs) {
      process.stdout.write(`${state.padEnd(7)} ${name}${failure === undefined ? '' : `\n        ${failure}`}\n`);
    }
    const byState = (state: UpstreamSpec['state']): string[] =>
      specs.filter((spec) => spec.state === state).map(({ name }) => name);
    expect(byState('failed')).toEqual([]);
    expect(byState('passed').length).toBeGreaterThanOrEqual(fewestSpecs);
  }, 900_000);
});
