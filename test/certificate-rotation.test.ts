import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { fetchServedCertificate } from '../platform/certificates/check-served-certificate.ts';
import { readCertificates } from '../platform/certificates/read-certificate.ts';
import { buildReleaseNames } from '../platform/release/release-names.ts';
import type { ReleaseNames } from '../platform/release/release-names.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { RequestDriver } from './host/drive-requests.ts';
import { findPercentile } from './host/figures.ts';
import { startRelease } from './start-webhooks.ts';
import type { ReleaseRun } from './start-webhooks.ts';

const domain = 'bailiwick.dev';
const governed = 'governed';
const perSecond = 50;
const settleSeconds = 3;

const limitRange = {
  apiVersion: `core.${domain}/v1`,
  kind: 'LimitRange',
  metadata: { name: 'sizes', namespace: governed },
  spec: { limits: [{ type: 'Container', default: { cpu: '250m' }, max: { cpu: '1' } }] },
};

describeCluster('certificate rotation under load', () => {
  let cluster: Cluster;
  let run: ReleaseRun;
  let names: ReleaseNames;
  let driver: RequestDriver;
  let count = 0;

  const makePod = () => ({
    path: `/api/v1/namespaces/${governed}/pods`,
    body: JSON.stringify({
      metadata: { name: `pod-${(count += 1)}` },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    }),
  });

  /** Fingerprints of what the API server trusts each of our webhooks by. */
  async function readTrusted(): Promise<string[][]> {
    const bundles: string[][] = [];
    for (const type of ['mutating', 'validating']) {
      const path = `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations/${names.webhookConfiguration}`;
      const { body } = await cluster.request('GET', path);
      for (const webhook of (body.webhooks ?? []) as { clientConfig: { caBundle: string } }[]) {
        const text = Buffer.from(webhook.clientConfig.caBundle, 'base64').toString('utf8');
        bundles.push(readCertificates(text).map((one) => one.fingerprint256));
      }
    }
    return bundles;
  }

  async function rotate(value: string): Promise<void> {
    const before = new Set((await readTrusted()).flat());
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = { metadata: { annotations: { [`${domain}/rotate`]: value } } };
    const path = `/api/v1/namespaces/${run.namespace}/secrets/${names.authority}`;
    expect((await cluster.request('PATCH', path, { body, headers })).status).toBe(200);
    await waitUntil('every webhook to be trusted by the new authority only', async () => {
      const trusted = await readTrusted();
      return trusted.length > 0 && trusted.every((bundle) => bundle.length === 1 && !before.has(bundle[0] ?? ''));
    });
  }

  beforeAll(async () => {
    cluster = await startCluster({
      apiServerFlags: ['--disable-admission-plugins=ServiceAccount,ResourceQuota,LimitRanger'],
    });
    run = await startRelease({
      cluster,
      domain,
      operatorFlags: ['--certificate-settle-seconds', String(settleSeconds)],
    });
    names = buildReleaseNames(run.release, run.namespace);
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: governed } } });
    const path = `/apis/core.${domain}/v1/namespaces/${governed}/limitranges`;
    expect((await cluster.request('POST', path, { body: limitRange })).status).toBe(201);
    driver = new RequestDriver(cluster);
    await waitUntil('limits to be in force', async () => (await driver.post(makePod())).includes('250m'));
  });

  afterAll(async () => {
    driver?.close();
    await run?.stop();
    await cluster?.stop();
  });

  it('fails no request while the authority is replaced twice', async () => {
    const over = new AbortController();
    const failures: string[] = [];
    const latencies: number[] = [];
    const drive = async (): Promise<void> => {
      const startMillis = performance.now();
      const running: Promise<void>[] = [];
      for (let index = 0; !over.signal.aborted; index += 1) {
        const dueMillis = startMillis + (index * 1000) / perSecond;
        await wait(Math.max(0, dueMillis - performance.now()));
        const answered = driver.post(makePod()).then(
          (text) => {
            latencies.push(performance.now() - dueMillis);
            if (!text.includes('250m')) failures.push('a pod was stored without defaults');
          },
          (error: unknown) => void failures.push((error as Error).message),
        );
        running.push(answered);
      }
      await Promise.all(running);
    };
    const ports = run.webhooks.map((program) => Number(new URL(program?.url ?? '').port));
    const serials = ports.map(() => [] as string[]);
    const watch = async (): Promise<void> => {
      const serverName = `${names.webhooks}.${run.namespace}.svc`;
      while (!over.signal.aborted) {
        for (const [index, port] of ports.entries()) {
          const { serialNumber } = await fetchServedCertificate({ port, serverName });
          if (serials[index]?.at(-1) !== serialNumber) serials[index]?.push(serialNumber);
        }
        await wait(100);
      }
    };
    const driven = Promise.all([drive(), watch()]);
    const startMillis = performance.now();
    try {
      await wait(1_000);
      await rotate('first');
      await rotate('second');
      await wait(1_000);
    } finally {
      over.abort();
      await driven;
    }
    const seconds = (performance.now() - startMillis) / 1_000;
    console.log(
      `${latencies.length} admissions in ${seconds.toFixed(1)} s, ${failures.length} failed; ` +
        `p50 ${findPercentile(latencies, 0.5).toFixed(1)} ms, p99 ${findPercentile(latencies, 0.99).toFixed(1)} ms, ` +
        `slowest ${Math.max(...latencies).toFixed(1)} ms; serials served: ${serials.map((seen) => seen.length).join(' and ')}`,
    );
    expect(failures).toEqual([]);
    expect(latencies.length).toBeGreaterThan(perSecond * seconds * 0.9);
    for (const seen of serials) expect(new Set(seen).size).toBe(3);
  });

  it('goes on when the Secret is deleted, and when there is garbage in it', async () => {
    const path = `/api/v1/namespaces/${run.namespace}/secrets/${names.webhooksCertificate}`;
    const latencies = driver.driveAtRate(perSecond, 4 * perSecond, makePod);
    await cluster.request('DELETE', path);
    await waitUntil('the Secret to come back', async () => (await cluster.request('GET', path)).status === 200);
    const garbage = Buffer.from('garbage').toString('base64');
    const headers = { 'content-type': 'application/merge-patch+json' };
    const data = { 'tls.crt': garbage, 'tls.key': garbage, 'ca.crt': garbage };
    expect((await cluster.request('PATCH', path, { body: { data }, headers })).status).toBe(200);
    await waitUntil('the Secret to be mended', async () => {
      return (await cluster.request('GET', path)).body.data['tls.crt'] !== garbage;
    });
    expect((await latencies).length).toBe(4 * perSecond);
  });
});
