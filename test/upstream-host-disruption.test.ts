import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeNode } from './cluster/describe-node.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import { busyboxReference } from './cluster/small-images.ts';
import type { ClientProgram } from './controllers/start-client-program.ts';
import { expectDrainWithinBudget } from './drain/drain-within-budget.ts';
import { chart, startReleaseCluster } from './host/release-cluster.ts';
import { startKwok } from './kwok/start-kwok.ts';
import { buildSpecImages } from './upstream/build-spec-images.ts';
import { disruptionSpecs } from './upstream/simulated-specs.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';
import { type RenamingProxy, startRenamingProxy } from './upstream/start-renaming-proxy.ts';

const namespace = 'bailiwick';
const hostGroup = 'policy.bailiwick.dev';
// Keeps everybody but the drained pods away from the simulated node.
const taint = { key: 'suite.example/simulated', effect: 'NoSchedule' };

describeNode(
  'disruption budgets on a real node, through our webhook',
  () => {
    let cluster: NodeCluster;
    let proxy: RenamingProxy;

    beforeAll(async () => {
      // Nobody but us counts or charges: the host's own controller is off, and has nothing to see.
      cluster = await startReleaseCluster({
        withoutControllers: ['disruption-controller'],
        images: await buildSpecImages(),
      });
      await cluster.helm(['install', 'bailiwick', chart, '--namespace', namespace, '--create-namespace', '--wait']);
      proxy = await startRenamingProxy(cluster, { group: 'policy', hostGroup, resources: ['poddisruptionbudgets'] });
    });

    afterAll(async () => {
      await proxy?.close();
      await cluster?.stop();
    });

    /** Namespaces that have budgets of the host's own. */
    async function listNamespacesOfHostBudgets(): Promise<Set<string>> {
      const { body } = await cluster.request('GET', '/apis/policy/v1/poddisruptionbudgets');
      const { items } = body as { items: { metadata: { namespace: string } }[] };
      return new Set(items.map(({ metadata }) => metadata.namespace));
    }

    it("upstream's own specs pass, all of them", async () => {
      const { focus, fewest } = disruptionSpecs;
      await expectUpstreamSpecs({ kubeconfig: proxy.kubeconfig, focus, processes: 6 }, fewest);
      expect(await listNamespacesOfHostBudgets()).toEqual(new Set([namespace]));
    }, 900_000);

    it('kubectl drain respects a budget, and ends when the budget allows it', async () => {
      let kwok: ClientProgram | undefined;
      try {
        await expectDrainWithinBudget({
          kubeconfig: cluster.kubeconfig,
          request: (method, path, options) => cluster.request(method, path, options),
          budgetVersion: `${hostGroup}/v1`,
          ...{ from: cluster.nodeName, to: 'spare' },
          container: { image: busyboxReference, command: ['sleep', '1000000'] },
          tolerations: [{ ...taint, operator: 'Exists' }],
          async makeRoom() {
            kwok = await startKwok(cluster, [{ name: 'spare', taints: [taint] }]);
          },
        });
        expect(await listNamespacesOfHostBudgets()).toEqual(new Set([namespace]));
      } finally {
        await kwok?.stop();
      }
    });
  },
  { images: true },
);
