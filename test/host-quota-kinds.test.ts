import { afterAll, beforeAll, expect, it } from 'vitest';

import type { ClusterAnswer } from './cluster/cluster-request.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import { waitForValue, waitUntil } from './cluster/wait-until.ts';
import { type ReleaseRun, startRelease } from './start-webhooks.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = 'count/widgets.example.com';
const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

function makePod(name: string, cpu = '100m'): object {
  return { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] } };
}

function makeService(name: string, ports: number): object {
  const list = Array.from({ length: ports }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
  return { metadata: { name }, spec: { type: 'NodePort', ports: list } };
}

describeCluster('quotas on a host', () => {
  let cluster: Cluster;
  let run: ReleaseRun;

  const quotasOf = (namespace: string): string => `/apis/core.${run.domain}/v1/namespaces/${namespace}/resourcequotas`;
  const post = (path: string, body: object): Promise<ClusterAnswer> => cluster.request('POST', path, { body });
  const patch = (path: string, body: object): Promise<ClusterAnswer> =>
    cluster.request('PATCH', path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/merge-patch+json' },
    });

  async function readStatus(namespace: string): Promise<{ used: object; claims?: object[] }> {
    return (await cluster.request('GET', `${quotasOf(namespace)}/q`)).body.status ?? {};
  }

  async function expectUsed(namespace: string, used: Record<string, string>): Promise<void> {
    await expect.poll(() => readStatus(namespace)).toMatchObject({ used });
  }

  /** A namespace with a quota that is in force. */
  async function govern(namespace: string, hard: Record<string, string>): Promise<string> {
    await post('/api/v1/namespaces', { metadata: { name: namespace } });
    const metadata = { name: 'q' };
    const quota = { apiVersion: `core.${run.domain}/v1`, kind: 'ResourceQuota', metadata, spec: { hard } };
    expect((await post(quotasOf(namespace), quota)).status).toBe(201);
    await run.waitForEvent(namespace, 'q', 'Enforced');
    return `/api/v1/namespaces/${namespace}`;
  }

  /** Asks until the quota decides: API servers follow what is registered a little later. */
  async function awaitEnforcement(ask: () => Promise<ClusterAnswer>): Promise<void> {
    await waitUntil('the host to call the webhooks', async () => (await ask()).status === 403);
  }

  beforeAll(async () => {
    cluster = await startCluster({
      apiServerFlags: ['--disable-admission-plugins=LimitRanger,ResourceQuota,ServiceAccount'],
    });
    run = await startRelease({ cluster });
  });

  afterAll(async () => {
    await run?.stop();
    await cluster?.stop();
  });

  it('refuses in the words of Kubernetes, and counts what is let in and what goes', async () => {
    const path = await govern('pods', { pods: '2', 'requests.cpu': '1' });
    await awaitEnforcement(() => post(`${path}/pods?dryRun=All`, makePod('big', '2')));
    expect((await post(`${path}/pods`, makePod('a', '400m'))).status).toBe(201);
    expect((await post(`${path}/pods`, makePod('b', '500m'))).status).toBe(201);
    const { status, body } = await post(`${path}/pods`, makePod('c'));
    expect(status).toBe(403);
    expect(body.message).toContain(
      'pods "c" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    );
    expect(body.reason).toBe('Forbidden');
    await expectUsed('pods', { pods: '2', 'requests.cpu': '900m' });
    await expect.poll(() => readStatus('pods')).not.toHaveProperty('claims');
    await cluster.request('DELETE', `${path}/pods/a?gracePeriodSeconds=0`);
    await expectUsed('pods', { pods: '1', 'requests.cpu': '500m' });
    const { body: second } = await post(`${path}/pods`, makePod('c', '600m'));
    expect(second.message).toContain(
      'exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=500m, limited: requests.cpu=1',
    );
    const { body: third } = await post(`${path}/pods`, {
      metadata: { name: 'd' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    expect(third.message).toContain('failed quota: q: must specify requests.cpu for: c');
  });

  it('records nothing for a dry run', async () => {
    const path = await govern('dry', { pods: '1' });
    expect((await post(`${path}/pods?dryRun=All`, makePod('a'))).status).toBe(201);
    await patch(`${quotasOf('dry')}/q`, { spec: { hard: { pods: '0' } } });
    await awaitEnforcement(() => post(`${path}/pods?dryRun=All`, makePod('a')));
    await patch(`${quotasOf('dry')}/q`, { spec: { hard: { pods: '1' } } });
    await expect.poll(async () => (await post(`${path}/pods?dryRun=All`, makePod('a'))).status).toBe(201);
    expect(await readStatus('dry')).toMatchObject({ used: { pods: '0' } });
    expect(await readStatus('dry')).not.toHaveProperty('claims');
  });

  it('charges an update for what it adds', async () => {
    const path = await govern('services', { services: '3', 'services.nodeports': '5' });
    await awaitEnforcement(() => post(`${path}/services?dryRun=All`, makeService('big', 6)));
    expect((await post(`${path}/services`, makeService('a', 2))).status).toBe(201);
    expect((await patch(`${path}/services/a`, makeService('a', 4))).status).toBe(200);
    const { status, body } = await patch(`${path}/services/a`, makeService('a', 6));
    expect(status).toBe(403);
    expect(body.message).toContain(
      'exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=4, limited: services.nodeports=5',
    );
    await expectUsed('services', { services: '1', 'services.nodeports': '4' });
    expect((await patch(`${path}/services/a`, makeService('a', 1))).status).toBe(200);
    await expectUsed('services', { services: '1', 'services.nodeports': '1' });
  });

  it('counts the objects of a definition from when it is there, and no more when it has gone', async () => {
    const path = await govern('custom', { [widgets]: '2', pods: '1' });
    await run.waitForEvent('custom', 'q', 'Uncounted');
    expect((await post(CRDS, widgetDefinition)).status).toBe(201);
    const custom = '/apis/example.com/v1/namespaces/custom/widgets';
    const makeWidget = (name: string): object => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name } });
    await expectUsed('custom', { [widgets]: '0', pods: '0' });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await waitUntil('a widget to be refused', async () => {
      for (const name of names) {
        const { status, body } = await post(custom, makeWidget(name));
        if (status !== 403) continue;
        expect(body.message).toContain(`exceeded quota: q, requested: ${widgets}=1`);
        return true;
      }
      for (const name of names) await cluster.request('DELETE', `${custom}/${name}`);
      await expectUsed('custom', { [widgets]: '0' });
      return false;
    });
    const stored = (await cluster.request('GET', custom)).body.items.length;
    await expectUsed('custom', { [widgets]: String(stored) });
    await cluster.request('DELETE', `${custom}/a`);
    await expectUsed('custom', { [widgets]: String(stored - 1) });
    await cluster.request('DELETE', `${CRDS}/widgets.example.com`);
    expect((await post(`${path}/pods`, makePod('a'))).status).toBe(201);
    await expectUsed('custom', { pods: '1' });
  });

  it('enforces a changed limit once it is counted, and refuses while nobody counts it', async () => {
    const path = await govern('changed', { pods: '1' });
    expect((await post(`${path}/pods`, makePod('a'))).status).toBe(201);
    await awaitEnforcement(() => post(`${path}/pods?dryRun=All`, makePod('b')));
    await patch(`${quotasOf('changed')}/q`, { spec: { hard: { pods: '2' } } });
    // While it is counted, which a busy machine takes longer for than a request waits, nothing is let in.
    const counted = await waitForValue(
      'the new limit to be counted',
      () => post(`${path}/pods`, makePod('b')),
      ({ body }) => !String(body.message).includes('status unknown for quota: q'),
    );
    expect(counted.status, counted.body.message).toBe(201);
    await run.killOperator(0);
    await patch(`${quotasOf('changed')}/q`, { spec: { hard: { pods: '5' } } });
    const { status, body } = await post(`${path}/pods`, makePod('c'));
    expect(status).toBe(403);
    expect(body.message).toContain('status unknown for quota: q, resources: pods');
    await run.startOperator(0);
    await expect
      .poll(async () => (await post(`${path}/pods`, makePod('c'))).status, { timeout: 120_000, interval: 500 })
      .toBe(201);
    await expectUsed('changed', { pods: '3' });
  });
});
