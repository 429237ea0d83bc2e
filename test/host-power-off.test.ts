import { afterAll, beforeAll, expect, it } from 'vitest';

import type { KubeObject } from '../core/meta/kube-object.ts';
import { describeNode } from './cluster/describe-node.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { chart, listReadyPods, makePod, runPod, startReleaseCluster, waitUntilReady } from './host/release-cluster.ts';

const namespace = 'bailiwick';
const governed = 'team-a';
const losses = [
  { what: 'its pods running', isDeadBefore: false },
  ...(process.env['BAILIWICK_SOAK'] ? [{ what: 'no pod of it left', isDeadBefore: true }] : []),
];

// failurePolicy Fail is a promise: what is governed waits for who decides. The host itself must never have to.
describeNode(
  'a host whose Bailiwick is dead',
  () => {
    let cluster: NodeCluster;

    beforeAll(async () => {
      cluster = await startReleaseCluster();
      await cluster.helm(['install', 'bailiwick', chart, '--namespace', namespace, '--create-namespace', '--wait']);
      for (const name of [governed, 'team-free']) {
        await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
      }
      for (const name of [governed, 'kube-system', namespace]) {
        await createLimits(name);
      }
      await waitUntil('the limits to be in force', async () => (await tryPod(governed, '2')).status === 403);
    });
    afterAll(() => cluster?.stop());

    async function createLimits(where: string): Promise<void> {
      const { status, body } = await cluster.request(
        'POST',
        `/apis/core.bailiwick.dev/v1/namespaces/${where}/limitranges`,
        {
          body: {
            apiVersion: 'core.bailiwick.dev/v1',
            kind: 'LimitRange',
            metadata: { name: 'sizes' },
            spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] },
          },
        },
      );
      if (status !== 201) throw new Error(`${status} ${body.message}`);
    }

    async function tryPod(where: string, cpu?: string): Promise<{ status: number; message: string }> {
      const path = `/api/v1/namespaces/${where}/pods?dryRun=All`;
      const { status, body } = await cluster.request('POST', path, { body: makePod('probe', cpu) });
      return { status, message: body.message };
    }

    async function readHeartbeat(): Promise<string> {
      const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${cluster.nodeName}`;
      return (await cluster.request('GET', path)).body.spec.renewTime;
    }

    async function scale(component: string, replicas: number): Promise<void> {
      await cluster.kubectl(['scale', '-n', namespace, `deployment/bailiwick-${component}`, `--replicas=${replicas}`]);
    }

    /** Every pod of the release ends at once, and none comes back. */
    async function killAll(): Promise<void> {
      for (const component of ['operator', 'webhooks']) await scale(component, 0);
      await cluster.kubectl(['delete', 'pods', '-n', namespace, '--all', '--force', '--grace-period=0']);
      for (const component of ['operator', 'webhooks'] as const) {
        await waitUntil(`the end of ${component}`, async () => {
          return (await listReadyPods(cluster, namespace, component)).length === 0;
        });
      }
      // The host may hold a connection to a pod that is on its way out.
      await waitUntil('the webhooks to be out of reach', async () => (await tryPod(governed)).status === 500);
    }

    it('refuses what is governed, and says why', async () => {
      await killAll();
      const { status, message } = await tryPod(governed);
      expect(status).toBe(500);
      expect(message).toMatch(/failed calling webhook "\S+\.bailiwick\.dev"/);
    });

    it.for(['kube-system', namespace, 'team-free', 'default'])('admits pods in %s', async (where) => {
      await runPod(cluster, where, 'while-dead');
    });

    it('lets nodes report', async () => {
      const before = await readHeartbeat();
      await waitUntil('a heartbeat', async () => (await readHeartbeat()) !== before);
      const status = { status: { conditions: [] } };
      const patched = await cluster.request('PATCH', `/api/v1/nodes/${cluster.nodeName}/status`, {
        body: status,
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
      });
      expect(patched.status).toBe(200);
    });

    it('lets objects of its own be changed and removed, whatever they are', async () => {
      const path = `/apis/core.bailiwick.dev/v1/namespaces/${governed}/limitranges/sizes`;
      const patched = await cluster.request('PATCH', path, {
        body: { metadata: { labels: { a: 'b' } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      expect(patched.status).toBe(200);
    });

    it('lets namespaces come, and those go that wait for no aggregated group', async () => {
      await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'passing' } } });
      await runPod(cluster, 'passing', 'while-dead');
      await cluster.request('DELETE', '/api/v1/namespaces/passing');
      // A host deletes no namespace before every APIService has told what is in it: this one waits, and goes below.
      await waitUntil('the deletion to begin', async () => {
        return (await cluster.request('GET', '/api/v1/namespaces/passing')).body.status.phase === 'Terminating';
      });
    });

    it('is whole again when the pods are back', async () => {
      for (const component of ['operator', 'webhooks']) await scale(component, 2);
      await waitUntilReady(cluster, namespace);
      await waitUntil('the limits to be in force', async () => (await tryPod(governed, '2')).status === 403);
      await runPod(cluster, governed, 'after-return');
      await waitUntil('the namespace to be gone', async () => {
        return (await cluster.request('GET', '/api/v1/namespaces/passing')).status === 404;
      });
    });

    it.for(losses)('comes back by itself after the whole cluster lost its power, $what', async ({ isDeadBefore }) => {
      if (isDeadBefore) await killAll();
      await cluster.powerOff();
      await cluster.powerOn();
      if (isDeadBefore) {
        expect((await tryPod(governed)).status).toBe(500);
        for (const component of ['operator', 'webhooks']) await scale(component, 2);
      }
      await waitUntilReady(cluster, namespace);
      await waitUntil('the limits to be in force', async () => (await tryPod(governed, '2')).status === 403);
      await runPod(cluster, governed, 'after-power');
      const pods = (await cluster.request('GET', `/api/v1/namespaces/${namespace}/pods`)).body.items as KubeObject[];
      expect(pods.filter(({ metadata }) => metadata.name?.startsWith('bailiwick-'))).toHaveLength(4);
    });
  },
  { images: true },
);
