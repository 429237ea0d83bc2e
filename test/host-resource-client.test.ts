import { afterAll, beforeAll, describe } from 'vitest';

import { buildKindRegistry } from '../kinds/registry.ts';
import type { HostConnection } from '../platform/kube/host-connection.ts';
import { openHostConnection } from '../platform/kube/open-host-connection.ts';
import { systemClock } from '../platform/process/clock.ts';
import { createSilentLogger } from '../platform/process/logger.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import { describeExpiringClient, describeResourceClient } from '../platform/resources/resource-client.contract.ts';
import type { ResourceClient } from '../platform/resources/resource-client.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster, ClusterOptions } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { installCrds } from './crds/install-crds.ts';

const registry = buildKindRegistry('bailiwick.dev');
const compactionSeconds = 1;

/** Runs the contract on a control plane of its own; the part about expiry where that can be forced. */
function describeOnHost(
  name: string,
  options: ClusterOptions,
  compact?: (client: ResourceClient) => Promise<void>,
): void {
  describe(name, () => {
    let cluster: Cluster;
    let connection: HostConnection;
    let client: ResourceClient;

    beforeAll(async () => {
      cluster = await startCluster(options);
      await installCrds(cluster, 'bailiwick.dev');
      connection = await openHostConnection({
        kubeconfig: cluster.kubeconfig,
        clock: systemClock,
        logger: createSilentLogger(),
        userAgent: 'contract/1.0',
      });
      client = createHostResourceClient({ connection, registry, clock: systemClock });
    });
    afterAll(async () => {
      connection?.close();
      await cluster?.stop();
    });

    const describeDriver = compact === undefined ? describeResourceClient : describeExpiringClient;
    describeDriver('the host driver', () => ({
      client,
      readsBodies: true,
      ...(compact === undefined ? {} : { compact: () => compact(client) }),
    }));
  });
}

/** Waits until a list at a version of before is refused: the API server compacts by the time. */
async function waitForCompaction(client: ResourceClient): Promise<void> {
  const reference = { resource: { group: '', version: 'v1', resource: 'configmaps' } };
  const { resourceVersion = '' } = (await client.list(reference, { limit: 1 })).metadata;
  await waitUntil('the history to be compacted', async () => {
    // What is compacted is the state of the last time: something must have changed since.
    const name = { generateName: 'tick-' };
    const tick = { apiVersion: 'v1', kind: 'ConfigMap', metadata: name };
    await client.create({ ...reference, namespace: 'default' }, tick);
    const options = { resourceVersion, resourceVersionMatch: 'Exact', limit: 1 };
    return client.list(reference, options).then(
      () => false,
      () => true,
    );
  });
}

describeCluster('ResourceClient on a host', () => {
  describeOnHost('as hosts are', {});
  describeOnHost(
    'that reads from etcd, and forgets at once',
    { apiServerFlags: ['--watch-cache=false', `--etcd-compaction-interval=${compactionSeconds}s`] },
    waitForCompaction,
  );
});
