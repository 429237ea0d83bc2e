import { createServer } from 'node:tls';
import type { Server } from 'node:tls';
import type { AddressInfo } from 'node:net';

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';

import type { KubeObject } from '../core/meta/kube-object.ts';
import { buildKindRegistry } from '../kinds/registry.ts';
import { CertificatesController } from '../operator/controllers/certificates/certificates-controller.ts';
import type { CertificatesControllerOptions } from '../operator/controllers/certificates/certificates-controller.ts';
import { checkServedCertificate, fetchServedCertificate } from '../platform/certificates/check-served-certificate.ts';
import { FollowedServingCertificate } from '../platform/certificates/follow-serving-certificate.ts';
import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import { readCertificates } from '../platform/certificates/read-certificate.ts';
import { serveCertificate } from '../platform/certificates/serve-certificate.ts';
import { encodeServingData } from '../platform/certificates/serving-secret.ts';
import type { HostConnection } from '../platform/kube/host-connection.ts';
import { openHostConnection } from '../platform/kube/open-host-connection.ts';
import { systemClock } from '../platform/process/clock.ts';
import { createSilentLogger } from '../platform/process/logger.ts';
import { createMetricsRegistry } from '../platform/process/metrics.ts';
import { buildReleaseNames } from '../platform/release/release-names.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import type { ResourceClient } from '../platform/resources/resource-client.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';

const domain = 'bailiwick.dev';
const release = 'bw';
const settings = { authorityValidityMillis: 3_600_000, servingValidityMillis: 600_000, settleMillis: 1_000 };
const logger = createSilentLogger();
const registry = buildKindRegistry(domain);

/** For what comes at once where the machine is not busy. */
const timeoutMillis = 60_000;

describeCluster("certificates of a release, in a host's Secrets", () => {
  let cluster: Cluster;
  let connection: HostConnection;
  let client: ResourceClient;
  let namespace: string;
  let count = 0;
  let closing: (() => Promise<unknown> | void)[] = [];
  let events: { name: string; type: string; reason: string }[] = [];
  const names = () => buildReleaseNames(release, namespace);
  const secretPath = (name: string): string => `/api/v1/namespaces/${namespace}/secrets/${name}`;

  async function readSecret(name: string): Promise<KubeObject & { type: string; data: Record<string, string> }> {
    return (await cluster.request('GET', secretPath(name))).body;
  }

  async function readBundle(name: string): Promise<string[]> {
    const text = Buffer.from((await readSecret(name)).data['ca.crt'] ?? '', 'base64').toString('utf8');
    return readCertificates(text).map((one) => one.fingerprint256);
  }

  async function startController(
    more: Partial<CertificatesControllerOptions> = {},
  ): Promise<{ controller: CertificatesController; metrics: CertificatesControllerOptions['metrics'] }> {
    const metrics = createMetricsRegistry();
    const controller = new CertificatesController({
      ...{
        client,
        clock: systemClock,
        logger,
        names: names(),
        release,
        namespace,
        domain,
        mode: 'own',
        settings,
        metrics,
      },
      events: {
        record: (object, type, reason) => events.push({ name: object.metadata.name ?? '', type, reason }),
      },
      ...more,
    });
    closing.push(() => controller.close());
    await controller.start();
    return { controller, metrics };
  }

  /** Serves the webhooks' certificate as a replica does. */
  async function startReplica(): Promise<{ followed: FollowedServingCertificate; port: number }> {
    const { webhooksCertificate: name } = names();
    const followed = new FollowedServingCertificate({
      ...{ client, clock: systemClock, logger, namespace, name, certificate: 'webhooks' },
    });
    closing.push(() => followed.close());
    await followed.start();
    const first = await followed.waitForCertificate(AbortSignal.timeout(timeoutMillis));
    const server: Server = createServer({ cert: first.certificate, key: first.privateKey });
    closing.push(serveCertificate(server, followed), () => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { followed, port: (server.address() as AddressInfo).port };
  }

  beforeAll(async () => {
    cluster = await startCluster();
    connection = await openHostConnection({
      ...{ kubeconfig: cluster.kubeconfig, clock: systemClock, logger, userAgent: 'certificates-test/v1' },
    });
    client = createHostResourceClient({ connection, registry, clock: systemClock });
  });

  afterAll(async () => {
    connection?.close();
    await cluster?.stop();
  });

  beforeEach(async () => {
    namespace = `system-${(count += 1)}`;
    events = [];
    closing = [];
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
  });

  afterEach(async () => {
    for (const close of closing.toReversed()) await close();
  });

  it('makes what is missing, also when two replicas do so at once', async () => {
    const [{ metrics }] = await Promise.all([startController(), startController()]);
    const { authority, webhooksCertificate, operatorCertificate } = names();
    expect((await readSecret(authority)).type).toBe('Opaque');
    expect(Object.keys((await readSecret(authority)).data)).toEqual(['authority-1.crt', 'authority-1.key']);
    for (const [name, service] of [
      [webhooksCertificate, 'bw-webhooks'],
      [operatorCertificate, 'bw-operator'],
    ] as const) {
      const { type, metadata, data } = await readSecret(name);
      expect(type).toBe('kubernetes.io/tls');
      expect(metadata.ownerReferences).toBeUndefined();
      expect(metadata.labels).toEqual({
        'app.kubernetes.io/managed-by': 'bw-operator',
        'app.kubernetes.io/instance': 'bw',
      });
      expect(Object.keys(data)).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
      const [leaf] = readCertificates(Buffer.from(data['tls.crt'] ?? '', 'base64').toString('utf8'));
      expect(leaf?.subjectAltName).toContain(`DNS:${service}.${namespace}.svc,`);
    }
    const figures = await metrics.getSingleMetricAsString('bailiwick_certificate_expiration_timestamp_seconds');
    expect(figures).toMatch(/certificate="authority"\} \d+/);
    expect(figures).toMatch(/certificate="webhooks"\} \d+/);
    expect(figures).toMatch(/certificate="operator"\} \d+/);
  });

  it('brings a deleted Secret back, and replicas serve on', async () => {
    await startController();
    const { port, followed } = await startReplica();
    const before = followed.current();
    const { webhooksCertificate } = names();
    const { metadata } = await readSecret(webhooksCertificate);
    await cluster.request('DELETE', secretPath(webhooksCertificate));
    await waitUntil('the Secret to come back', async () => {
      const again = await readSecret(webhooksCertificate);
      return again.metadata.uid !== undefined && again.metadata.uid !== metadata.uid;
    });
    await waitUntil('the replica to serve it', async () => followed.current() !== before);
    const bundle = before?.bundle ?? '';
    const serverName = `bw-webhooks.${namespace}.svc`;
    expect(await checkServedCertificate({ port, serverName, bundle, timeoutMillis })).toBeUndefined();
  });

  it('mends a Secret with garbage, which is never served', async () => {
    const { controller } = await startController();
    const { port, followed } = await startReplica();
    await controller.close();
    const serverName = `bw-webhooks.${namespace}.svc`;
    const good = (await fetchServedCertificate({ port, serverName, timeoutMillis })).serialNumber;
    const garbage = Buffer.from('garbage').toString('base64');
    const data = { 'tls.crt': garbage, 'tls.key': garbage, 'ca.crt': garbage };
    const headers = { 'content-type': 'application/merge-patch+json' };
    await cluster.request('PATCH', secretPath(names().webhooksCertificate), { body: { data }, headers });
    const seen = followed.current();
    await startController();
    await waitUntil('a new certificate', async () => followed.current() !== seen);
    const served = (await fetchServedCertificate({ port, serverName, timeoutMillis })).serialNumber;
    expect(served).not.toBe(good);
    expect(
      await checkServedCertificate({ port, serverName, bundle: seen?.bundle ?? '', timeoutMillis }),
    ).toBeUndefined();
  });

  it('rotates when it is asked to: bundles first, then certificates, and only the new authority stays', async () => {
    await startController();
    const { port, followed } = await startReplica();
    const { authority, webhooksCertificate, operatorCertificate } = names();
    const [old] = await readBundle(webhooksCertificate);
    const bundles: number[] = [];
    followed.bundles.subscribe((bundle) => bundles.push(readCertificates(bundle).length));
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = { metadata: { annotations: { [`${domain}/rotate`]: 'now' } } };
    await cluster.request('PATCH', secretPath(authority), { body, headers });
    await waitUntil('the old authority to go', async () => {
      const trusted = [...(await readBundle(webhooksCertificate)), ...(await readBundle(operatorCertificate))];
      return !trusted.includes(old ?? '') && trusted.length === 2;
    });
    await waitUntil('the replica to know', async () => bundles.length === 2);
    expect(bundles).toEqual([2, 1]);
    const serverName = `bw-webhooks.${namespace}.svc`;
    const bundle = followed.current()?.bundle ?? '';
    expect(await checkServedCertificate({ port, serverName, bundle, timeoutMillis })).toBeUndefined();
    expect(Object.keys((await readSecret(authority)).data)).toEqual(['authority-1.crt', 'authority-1.key']);
    expect((await readSecret(authority)).metadata.annotations?.[`${domain}/rotated`]).toBe('now');
  });

  it("writes the authorities into the review kinds' APIService", async () => {
    const path = '/apis/apiregistration.k8s.io/v1/apiservices';
    const spec = {
      ...{ group: `review.${domain}`, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
      ...{ service: { name: 'bw-operator', namespace, port: 443 }, insecureSkipTLSVerify: true },
    };
    const metadata = { name: `v1.review.${domain}` };
    await cluster.request('POST', path, {
      body: { kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1', metadata, spec },
    });
    await startController();
    const { data } = await readSecret(names().operatorCertificate);
    const stored = (await cluster.request('GET', `${path}/${metadata.name}`)).body;
    expect(stored.spec.caBundle).toBe(data['ca.crt']);
    expect(stored.spec.insecureSkipTLSVerify).toBeUndefined();
    await cluster.request('DELETE', `${path}/${metadata.name}`);
  });

  it('warns long before the end when it may not renew', async () => {
    const { controller } = await startController();
    await controller.close();
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
    const role = { metadata: { name: `reader-${namespace}` }, rules };
    const binding = {
      metadata: role.metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role.metadata.name },
      subjects: [{ kind: 'User', name: 'reader' }],
    };
    const path = '/apis/rbac.authorization.k8s.io/v1';
    expect((await cluster.request('POST', `${path}/clusterroles`, { body: role })).status).toBe(201);
    expect((await cluster.request('POST', `${path}/clusterrolebindings`, { body: binding })).status).toBe(201);
    const headers = { 'impersonate-user': 'reader' };
    const reader = createHostResourceClient({ connection, registry, clock: systemClock, headers });
    const lateMillis = settings.servingValidityMillis * 0.9;
    const clock = { ...systemClock, now: () => Date.now() + lateMillis };
    const { webhooksCertificate: name } = names();
    await waitUntil('the right to read', async () => {
      return reader.get({ resource: { group: '', version: 'v1', resource: 'secrets' }, namespace, name }).then(
        () => true,
        () => false,
      );
    });
    await startController({ client: reader, clock });
    expect(events).toContainEqual({ name, type: 'Warning', reason: 'CertificateExpiring' });
  });

  it('warns of a certificate that nobody renews, and writes nothing where somebody else keeps them', async () => {
    const period = { notBeforeMillis: Date.now() - 90 * 86_400_000, notAfterMillis: Date.now() + 5 * 86_400_000 };
    const made = await makeCertificate({ commonName: 'others', purpose: 'authority', ...period });
    const data = encodeServingData({ ...made, bundle: made.certificate });
    const name = names().webhooksCertificate;
    const secret = { metadata: { name }, type: 'kubernetes.io/tls', data };
    await cluster.request('POST', `/api/v1/namespaces/${namespace}/secrets`, { body: secret });
    const { metrics } = await startController({ mode: 'secret' });
    expect(events).toContainEqual({ name, type: 'Warning', reason: 'CertificateExpiring' });
    const figures = await metrics.getSingleMetricAsString('bailiwick_certificate_expiration_timestamp_seconds');
    expect(figures).toContain(`{certificate="webhooks"} ${Math.floor(period.notAfterMillis / 1000)}`);
    expect((await cluster.request('GET', secretPath(names().authority))).status).toBe(404);
    expect((await readSecret(name)).data).toEqual(data);
  });
});
