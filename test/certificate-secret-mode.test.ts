import { setTimeout as wait } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import type { KeyedCertificate } from '../platform/certificates/make-certificate.ts';
import { readCertificates } from '../platform/certificates/read-certificate.ts';
import { encodeServingData } from '../platform/certificates/serving-secret.ts';
import { buildReleaseNames } from '../platform/release/release-names.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { GovernedPods } from './host/governed-pods.ts';
import { startRelease } from './start-webhooks.ts';
import type { ReleaseRun } from './start-webhooks.ts';

const namespace = 'bailiwick-system';
const names = buildReleaseNames('test', namespace);
const perSecond = 20;
const settleSeconds = 5;
const kept = [
  [names.webhooksCertificate, names.webhooks],
  [names.operatorCertificate, names.operator],
] as const;

function locateSecret(name: string): string {
  return `/api/v1/namespaces/${namespace}/secrets/${name}`;
}

function makeAuthority(commonName: string): Promise<KeyedCertificate> {
  const period = { notBeforeMillis: Date.now() - 1_000, notAfterMillis: Date.now() + 7_200_000 };
  return makeCertificate({ commonName, purpose: 'authority', ...period });
}

function readFingerprint({ certificate }: KeyedCertificate): string {
  return readCertificates(certificate)[0]?.fingerprint256 ?? '';
}

describeCluster('certificates that somebody else keeps', () => {
  let cluster: Cluster;
  let run: ReleaseRun;
  let pods: GovernedPods;
  let authority: KeyedCertificate;
  /** resourceVersions of what was written last. */
  const written = new Map<string, string>();

  /** Does what cert-manager does when an issuer's authority was replaced: one write has the certificate and who signed it. */
  async function writeSecrets(commonName: string): Promise<void> {
    authority = await makeAuthority(commonName);
    for (const [name, service] of kept) {
      const subjectNames = [`${service}.${namespace}.svc`, '127.0.0.1'];
      const period = { notBeforeMillis: Date.now() - 1_000, notAfterMillis: Date.now() + 3_600_000 };
      const made = await makeCertificate({ commonName: name, purpose: 'server', subjectNames, ...period }, authority);
      const data = encodeServingData({ ...made, bundle: authority.certificate });
      const verb = written.has(name) ? 'PUT' : 'POST';
      const path = verb === 'PUT' ? locateSecret(name) : `/api/v1/namespaces/${namespace}/secrets`;
      const body = { metadata: { name }, type: 'kubernetes.io/tls', data };
      const answer = await cluster.request(verb, path, { body });
      expect(answer.status).toBeLessThan(300);
      written.set(name, answer.body.metadata.resourceVersion);
    }
  }

  async function waitForTrust(description: string, isThere: (bundle: readonly string[]) => boolean): Promise<void> {
    await waitUntil(description, async () => {
      const trusted = await pods.readTrusted();
      return trusted.length > 0 && trusted.every(isThere);
    });
  }

  const waitForOverlap = (before: string): Promise<void> =>
    waitForTrust('both authorities to be trusted', (bundle) => {
      return bundle.length === 2 && bundle.includes(before) && bundle.includes(readFingerprint(authority));
    });

  const waitForNewest = (): Promise<void> =>
    waitForTrust('only the new authority to be trusted', (bundle) => {
      return bundle.length === 1 && bundle[0] === readFingerprint(authority);
    });

  beforeAll(async () => {
    cluster = await startCluster({
      apiServerFlags: ['--disable-admission-plugins=ServiceAccount,ResourceQuota,LimitRanger'],
    });
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
    await writeSecrets('first');
    run = await startRelease({
      cluster,
      operatorFlags: ['--certificates', 'secret', '--certificate-settle-seconds', String(settleSeconds)],
    });
    pods = new GovernedPods(cluster, run);
    await pods.start();
  });

  afterAll(async () => {
    pods?.close();
    await run?.stop();
    await cluster?.stop();
  });

  it('fails no request when a certificate and its authority are replaced in one write', async () => {
    const before = readFingerprint(authority);
    const { failures, serials, summary } = await pods.driveWhile(perSecond, async () => {
      await writeSecrets('second');
      await waitForOverlap(before);
      await waitForNewest();
      await wait(1_000);
    });
    console.log(summary);
    expect(failures).toEqual([]);
    for (const seen of serials) expect(new Set(seen).size).toBe(2);
  });

  it('fails none when nobody leads as that happens, and when the next leader does not last', async () => {
    const before = readFingerprint(authority);
    const { failures, serials, summary } = await pods.driveWhile(perSecond, async () => {
      await run.operators[0]?.end();
      await writeSecrets('third');
      // Replicas know of the new certificate by then, and nobody trusts it.
      await wait(2_000);
      await run.startOperator(0);
      await waitForOverlap(before);
      await run.operators[0]?.end();
      await run.startOperator(0);
      await waitForNewest();
      await wait(1_000);
    });
    console.log(summary);
    expect(failures).toEqual([]);
    for (const seen of serials) expect(new Set(seen).size).toBe(2);
  });

  it('writes nothing into what is not its own', async () => {
    for (const [name] of kept) {
      const { body } = await cluster.request('GET', locateSecret(name));
      expect(body.metadata.resourceVersion).toBe(written.get(name));
    }
    expect((await cluster.request('GET', locateSecret(names.authority))).status).toBe(404);
  });
});
