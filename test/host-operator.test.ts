import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { fetchServedCertificate } from '../platform/certificates/check-served-certificate.ts';
import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import { readCertificates } from '../platform/certificates/read-certificate.ts';
import { encodeServingData } from '../platform/certificates/serving-secret.ts';
import { buildReleaseNames } from '../platform/release/release-names.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { connectApi, readApiAccess } from './host/connect-api.ts';
import type { ApiClient } from './host/connect-api.ts';
import { LoadUntilEnd, type WatchedToEnd, watchToEnd } from './host/load-until-end.ts';
import { readEvents } from './service/read-events.ts';
import type { WatchedEvent } from './service/read-events.ts';
import { startService } from './service/start-service.ts';
import { startRelease } from './start-webhooks.ts';
import type { ReleaseRun } from './start-webhooks.ts';

const domain = 'operator.example';
const quotas = '/api/v1/namespaces/team/resourcequotas';
const configMaps = '/api/v1/namespaces/team/configmaps';
const leases = '/apis/coordination.k8s.io/v1/namespaces/bailiwick-system/leases';
/** How long requests under way may take; the rest of the end is quick. */
const drainMillis = 10_000;
/** Longer than the candidates sleep between two tries, for a Lease that was given back. */
const takeoverMillis = 8_000;

describeCluster('two operators before a host', () => {
  let cluster: Cluster;
  let run: ReleaseRun;
  const clients: ApiClient[] = [];

  async function connectTo(place: number): Promise<ApiClient> {
    const client = connectApi(await readApiAccess(run.locateKubeconfig(place)));
    clients.push(client);
    return client;
  }

  async function isLeading(place: number): Promise<boolean> {
    if (run.operators[place] === undefined) return false;
    const { text } = await (await connectTo(place)).request('GET', '/metrics');
    return /^leader_election_master_status\{name="test-operator"\} 1$/m.test(text);
  }

  /** Place of the one leader, waited for. */
  async function findLeader(): Promise<number> {
    let leaders: number[] = [];
    await waitUntil('a leader', async () => {
      const leading = await Promise.all([isLeading(0), isLeading(1)]);
      leaders = [0, 1].filter((place) => leading[place]);
      return leaders.length > 0;
    });
    expect(leaders).toHaveLength(1);
    return leaders[0] ?? 0;
  }

  async function expectCounted(client: ApiClient, name: string): Promise<void> {
    const body = { metadata: { name }, spec: { hard: { pods: '5' } } };
    expect((await client.request('POST', quotas, { body })).status).toBe(201);
    await waitUntil('the quota to be counted', async () => {
      return (await client.request('GET', `${quotas}/${name}`)).json.status?.used?.pods === '0';
    });
  }

  beforeAll(async () => {
    cluster = await startCluster({
      apiServerFlags: ['--disable-admission-plugins=ResourceQuota,LimitRanger,ServiceAccount'],
    });
    run = await startRelease({ cluster, domain, operators: 2, replicas: 1 });
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'team' } } });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(async () => {
    await run?.stop();
    await cluster?.stop();
  });

  it('serve the API at once: what is written through one is read and watched through the other', async () => {
    await findLeader();
    for (const [writing, reading] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const [writer, reader] = [await connectTo(writing), await connectTo(reading)];
      const name = `from-${writing}`;
      const stream = await reader.open('GET', `${quotas}?watch=true&fieldSelector=metadata.name%3D${name}`);
      const frames: WatchedEvent[] = [];
      const watching = readEvents(stream, frames, ({ type }) => type === 'DELETED');
      await expectCounted(writer, name);
      const patch = await writer.request('PATCH', `${quotas}/${name}`, {
        body: { spec: { hard: { pods: '7' } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      expect(patch.status, patch.text).toBe(200);
      const read = await reader.request('GET', `${quotas}/${name}`);
      expect(read.json.metadata.uid).toBe(patch.json.metadata.uid);
      expect(read.json.spec.hard).toEqual({ pods: '7' });
      expect((await writer.request('DELETE', `${quotas}/${name}`)).status).toBe(200);
      await watching;
      expect(frames[0]?.type).toBe('ADDED');
      expect(frames.find(({ type, object }) => type === 'MODIFIED' && object['spec'].hard.pods === '7')).toBeDefined();
    }
  });

  it('need no more than one of them: when the leader is killed the other serves on, and leads soon', async () => {
    const leader = await findLeader();
    const other = 1 - leader;
    const client = await connectTo(other);
    const stream = await client.open('GET', `${configMaps}?watch=true`);
    const frames: WatchedEvent[] = [];
    const watching = readEvents(stream, frames, ({ object }) => object.metadata.name === 'after');
    await run.killOperator(leader);
    const killedMillis = performance.now();
    let answered = 0;
    while (!(await isLeading(other))) {
      const name = `while-${answered}`;
      expect((await client.request('POST', configMaps, { body: { metadata: { name } } })).status).toBe(201);
      expect((await client.request('GET', quotas)).status).toBe(200);
      answered += 1;
      expect(performance.now() - killedMillis).toBeLessThan(30_000);
    }
    console.log(`led again after ${Math.round(performance.now() - killedMillis)} ms, ${answered} writes meanwhile`);
    await expectCounted(client, 'after-kill');
    await client.request('POST', configMaps, { body: { metadata: { name: 'after' } } });
    await watching;
    await run.startOperator(leader);
    expect(await findLeader()).toBe(other);
  });

  it('end cleanly under requests and watches, and hand the leadership over at once', async () => {
    const leader = await findLeader();
    const [ending, staying] = [await connectTo(leader), await connectTo(1 - leader)];
    const held: WatchedEvent[] = [];
    const lease = (await staying.request('GET', `${leases}/test-operator`)).json;
    const { resourceVersion } = lease.metadata;
    const stream = await staying.open(
      'GET',
      `${leases}?watch=true&fieldSelector=metadata.name%3Dtest-operator&resourceVersion=${resourceVersion}`,
    );
    const watchingLease = readEvents(stream, held, ({ object }) => {
      return !['', lease.spec.holderIdentity].includes(object['spec'].holderIdentity);
    });
    // Long enough to be under way in pieces at any moment.
    const data = { long: 'x'.repeat(300_000) };
    await staying.request('POST', configMaps, { body: { metadata: { name: 'long' }, data } });
    await expectCounted(staying, 'watched');
    const watched: WatchedToEnd[] = await Promise.all(
      [quotas, configMaps, quotas, configMaps].map((path) => watchToEnd(ending, `${path}?watch=true`)),
    );
    const load = new LoadUntilEnd({ client: ending, path: configMaps, listed: [quotas, configMaps], workers: 6 });
    const over = new AbortController();
    const writing = (async () => {
      for (let count = 0; !over.signal.aborted; count += 1) {
        await staying.request('PATCH', `${configMaps}/long`, {
          body: { metadata: { labels: { count: String(count) } } },
          headers: { 'content-type': 'application/merge-patch+json' },
        });
      }
    })();
    await waitUntil('the load to be there', async () => load.answered >= 100);
    const askedMillis = performance.now();
    const program = run.operators[leader];
    const code = await program?.end('SIGTERM');
    const tookMillis = performance.now() - askedMillis;
    over.abort();
    const [summary, ends] = await Promise.all([load.end(), Promise.all(watched.map(({ ended }) => ended)), writing]);
    await watchingLease;
    const handedOverMillis = performance.now() - askedMillis;
    console.log(
      `ended in ${Math.round(tookMillis)} ms, handed over in ${Math.round(handedOverMillis)} ms; ${JSON.stringify(summary.counts)}`,
    );

    expect(code).toBe(0);
    expect(tookMillis).toBeLessThan(drainMillis);
    expect(handedOverMillis - tookMillis).toBeLessThan(takeoverMillis);
    const released = held.map(({ object }) => object['spec'].holderIdentity as string);
    expect(released).toContain('');
    await waitUntil('the other to lead', () => isLeading(1 - leader));

    expect(summary.faults).toEqual([]);
    for (const { name, isStored } of summary.writes) {
      const { status } = await staying.request('GET', `${configMaps}/${name}`);
      expect(status, name).toBe(isStored ? 200 : 404);
    }
    for (const { isComplete, text } of ends) {
      expect(isComplete).toBe(true);
      expect(text.endsWith('\n')).toBe(true);
      for (const line of text.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('type');
    }
    await expectCounted(staying, 'after-end');
    await run.startOperator(leader);
    expect(await findLeader()).toBe(1 - leader);
  });

  it('are ready only while the certificate that they really serve is one that clients trust', async () => {
    const namespace = 'kept';
    const names = buildReleaseNames('other', namespace);
    const authority = await makeCertificate({
      ...{ commonName: 'authority', purpose: 'authority' },
      ...{ notBeforeMillis: Date.now() - 60_000, notAfterMillis: Date.now() + 3_600_000 },
    });
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    const issue = async (lifeMillis: number) => {
      const subjectNames = ['localhost', '127.0.0.1', `${names.operator}.${namespace}.svc`];
      const period = { notBeforeMillis: Date.now() - 60_000, notAfterMillis: Date.now() + lifeMillis };
      const made = await makeCertificate({ commonName: 'a', purpose: 'server', subjectNames, ...period }, authority);
      const data = encodeServingData({ ...made, bundle: authority.certificate });
      return { data, serialNumber: readCertificates(made.certificate)[0]?.serialNumber };
    };
    const replace = async (data: object): Promise<void> => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const path = `${secrets}/${names.operatorCertificate}`;
      expect((await cluster.request('PATCH', path, { headers, body: { data } })).status).toBe(200);
    };
    const [first, last] = [await issue(3_600_000), await issue(3_600_000)];
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
    const metadata = { name: names.operatorCertificate };
    await cluster.request('POST', secrets, { body: { metadata, type: 'kubernetes.io/tls', data: first.data } });
    const service = await startService({
      domain,
      flags: [
        ...['--store', 'crds', '--kubeconfig', cluster.kubeconfig, '--release', 'other', '--namespace', namespace],
        ...['--certificates', 'secret', '--webhooks-url', 'https://127.0.0.1:1'],
      ],
    });
    try {
      const question = { port: Number(new URL(service.url).port), serverName: 'localhost', timeoutMillis: 20_000 };
      const readServed = async () => (await fetchServedCertificate(question)).serialNumber;
      const client = connectApi({ url: service.url });
      clients.push(client);
      expect((await client.request('GET', '/readyz')).status).toBe(200);
      expect(await readServed()).toBe(first.serialNumber);
      const brief = await issue(15_000);
      await replace(brief.data);
      await waitUntil('the next certificate to be served', async () => (await readServed()) === brief.serialNumber);
      await waitUntil('its end to be noticed', async () => (await client.request('GET', '/readyz')).status === 500);
      expect((await client.request('GET', '/readyz/serving')).text).toContain('certificate has expired');
      expect((await client.request('GET', '/livez')).status).toBe(200);
      await replace(last.data);
      await waitUntil('readiness to return', async () => (await client.request('GET', '/readyz')).status === 200);
      expect(await readServed()).toBe(last.serialNumber);
    } finally {
      await service.stop();
    }
  });
});
