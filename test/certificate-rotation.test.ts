import { setTimeout as wait } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { buildReleaseNames } from '../platform/release/release-names.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { GovernedPods } from './host/governed-pods.ts';
import { startRelease } from './start-webhooks.ts';
import type { ReleaseRun } from './start-webhooks.ts';

const domain = 'bailiwick.dev';
const namespace = 'bailiwick-system';
const names = buildReleaseNames('test', namespace);
const perSecond = 50;
const apiServerFlags = ['--disable-admission-plugins=ServiceAccount,ResourceQuota,LimitRanger'];
const mergePatch = { 'content-type': 'application/merge-patch+json' };

function locateSecret(name: string): string {
  return `/api/v1/namespaces/${namespace}/secrets/${name}`;
}

describeCluster('certificate rotation under load', () => {
  let cluster: Cluster;
  let run: ReleaseRun;
  let pods: GovernedPods;

  async function rotate(value: string): Promise<void> {
    const before = new Set((await pods.readTrusted()).flat());
    const body = { metadata: { annotations: { [`${domain}/rotate`]: value } } };
    const answer = await cluster.request('PATCH', locateSecret(names.authority), { body, headers: mergePatch });
    expect(answer.status).toBe(200);
    await waitUntil('every webhook to be trusted by the new authority only', async () => {
      const trusted = await pods.readTrusted();
      return trusted.length > 0 && trusted.every((bundle) => bundle.length === 1 && !before.has(bundle[0] ?? ''));
    });
  }

  beforeAll(async () => {
    cluster = await startCluster({ apiServerFlags });
    run = await startRelease({ cluster, domain, operatorFlags: ['--certificate-settle-seconds', '3'] });
    pods = new GovernedPods(cluster, run);
    await pods.start();
  });

  afterAll(async () => {
    pods?.close();
    await run?.stop();
    await cluster?.stop();
  });

  it('fails no request while the authority is replaced twice', async () => {
    const { failures, admissions, serials, summary } = await pods.driveWhile(perSecond, async () => {
      await wait(1_000);
      await rotate('first');
      await rotate('second');
      await wait(1_000);
    });
    console.log(summary);
    expect(failures).toEqual([]);
    expect(admissions).toBeGreaterThan(8 * perSecond);
    for (const seen of serials) expect(new Set(seen).size).toBe(3);
  });

  it('goes on when the Secret is deleted, and when there is garbage in it', async () => {
    const path = locateSecret(names.webhooksCertificate);
    const { failures } = await pods.driveWhile(perSecond, async () => {
      await cluster.request('DELETE', path);
      await waitUntil('the Secret to come back', async () => (await cluster.request('GET', path)).status === 200);
      const garbage = Buffer.from('garbage').toString('base64');
      const body = { data: { 'tls.crt': garbage, 'tls.key': garbage, 'ca.crt': garbage } };
      expect((await cluster.request('PATCH', path, { body, headers: mergePatch })).status).toBe(200);
      await waitUntil('the Secret to be mended', async () => {
        return (await cluster.request('GET', path)).body.data['tls.crt'] !== garbage;
      });
      await wait(1_000);
    });
    expect(failures).toEqual([]);
  });
});
