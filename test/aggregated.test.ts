import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request as sendHttps } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { installCrds } from './crds/install-crds.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';
import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import type { KeyedCertificate } from '../platform/certificates/make-certificate.ts';

const domain = 'aggregated.example';
const apiVersion = `review.${domain}/v1`;
const reviews = `/apis/${apiVersion}/namespaces/team/quotareviews`;
const run = promisify(execFile);

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function makeReview(pods: number): object {
  return {
    apiVersion,
    kind: 'QuotaReview',
    metadata: { name: 'one' },
    spec: {
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: {
          containers: [{ name: 'c', image: 'i:1', resources: { requests: { cpu: String(pods) } } }],
        },
      },
    },
  };
}

/** A certificate of the rig's own authority of front proxies, as the aggregator has one. */
async function issueProxyCertificate(cluster: Cluster, commonName: string): Promise<KeyedCertificate> {
  const pki = join(cluster.folder, 'pki');
  const [certificate, privateKey] = await Promise.all(
    ['front-proxy-ca.crt', 'front-proxy-ca.key'].map((name) => readFile(join(pki, name), 'utf8')),
  );
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-proxy-'));
  try {
    const [ca, key, own, request, signed] = ['ca.crt', 'ca.key', 'own.key', 'own.csr', 'own.crt'].map((name) =>
      join(folder, name),
    );
    await writeFile(ca ?? '', certificate ?? '');
    await writeFile(key ?? '', privateKey ?? '');
    const extensions = join(folder, 'extensions');
    await writeFile(extensions, 'extendedKeyUsage=clientAuth\n');
    const words = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', own ?? ''];
    await run('openssl', [...words, '-out', request ?? '', '-subj', `/CN=${commonName}`]);
    const signing = ['x509', '-req', '-in', request ?? '', '-CA', ca ?? '', '-CAkey', key ?? '', '-CAcreateserial'];
    await run('openssl', [...signing, '-days', '2', '-extfile', extensions, '-out', signed ?? '']);
    return { certificate: await readFile(signed ?? '', 'utf8'), privateKey: await readFile(own ?? '', 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describeCluster("reviews behind a host's aggregator", () => {
  let cluster: Cluster;
  let service: Service;
  let port: number;

  /** Calls the aggregated port itself, past the aggregator. */
  function call(given: {
    readonly headers?: Record<string, string>;
    readonly pair?: KeyedCertificate;
    readonly path?: string;
  }): Promise<{ status: number; text: string }> {
    const { pair } = given;
    const agent = new Agent({
      rejectUnauthorized: false,
      ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.privateKey }),
    });
    return new Promise((resolve, reject) => {
      const sent = sendHttps(
        { host: '127.0.0.1', port, path: given.path ?? '/apis', headers: given.headers ?? {}, agent },
        (answer) => {
          let text = '';
          answer.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
          answer.on('end', () => {
            agent.destroy();
            resolve({ status: answer.statusCode ?? 0, text });
          });
        },
      );
      sent.on('error', reject);
      sent.end();
    });
  }

  beforeAll(async () => {
    cluster = await startCluster({
      apiServerFlags: [
        '--disable-admission-plugins=ResourceQuota,LimitRanger,ServiceAccount',
        '--requestheader-allowed-names=front-proxy-client,front-proxy,aggregator',
      ],
    });
    await installCrds(cluster, domain);
    port = await findFreePort();
    service = await startService({
      domain,
      flags: ['--store', 'crds', '--kubeconfig', cluster.kubeconfig, '--aggregated-port', String(port)],
    });
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'team' } } });
    await service.request('POST', '/api/v1/namespaces/team/resourcequotas', {
      body: { metadata: { name: 'small' }, spec: { hard: { 'requests.cpu': '2' } } },
    });
    await cluster.request('POST', '/api/v1/namespaces/default/services', {
      body: {
        metadata: { name: 'review' },
        spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
      },
    });
    const created = await cluster.request('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
      body: {
        metadata: { name: `v1.review.${domain}` },
        spec: {
          group: `review.${domain}`,
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          insecureSkipTLSVerify: true,
          service: { namespace: 'default', name: 'review', port },
        },
      },
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    await waitUntil('the aggregator to reach the operator', async () => {
      return (await cluster.request('GET', `/apis/${apiVersion}`)).status === 200;
    });
    await waitUntil('the quota to be counted', async () => {
      const quota = await service.request('GET', '/api/v1/namespaces/team/resourcequotas/small');
      return quota.json.status?.used !== undefined;
    });
  });
  afterAll(async () => {
    await service?.stop();
    await cluster?.stop();
  });

  it('answer which flow a request falls in, under the same flow control', async () => {
    const body = {
      apiVersion,
      kind: 'FlowReview',
      spec: { path: '/api/v1/pods', user: 'jane', groups: ['system:masters'] },
    };
    const { body: answer, headers } = await cluster.request('POST', `/apis/${apiVersion}/flowreviews`, { body });
    expect(answer.status).toMatchObject({ subject: true, exempt: true, flowSchema: 'exempt', priorityLevel: 'exempt' });
    expect(headers).toHaveProperty('x-kubernetes-pf-flowschema-uid');
  });

  it('are listed by the host, and described in its OpenAPI', async () => {
    const list = await cluster.request('GET', `/apis/${apiVersion}`);
    expect(list.body.resources.map(({ name, verbs }: { name: string; verbs: string[] }) => [name, verbs])).toEqual([
      ['evictionreviews', ['create']],
      ['flowreviews', ['create']],
      ['limitreviews', ['create']],
      ['quotareviews', ['create']],
    ]);
    await waitUntil('the OpenAPI of the reviews', async () => {
      const index = await cluster.request('GET', '/openapi/v3');
      return JSON.stringify(index.body).includes(`apis/${apiVersion}`);
    });
  });

  it.for([
    [1, true],
    [3, false],
  ] as const)('are answered through the host: %d CPUs, %s', async ([cpus, allowed]) => {
    const answer = await cluster.request('POST', reviews, { body: makeReview(cpus) });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body.status).toMatchObject({ allowed, quotas: [{ name: 'small' }] });
  });

  it('are for those who may create them, and name quotas to those who may list them', async () => {
    const asAnn = (headers: Record<string, string> = {}) =>
      cluster.request('POST', reviews, {
        body: makeReview(3),
        headers: { 'impersonate-user': 'ann', 'impersonate-group': 'devs', ...headers },
      });
    const refused = await asAnn();
    expect(refused.status).toBe(403);
    const rule = { apiGroups: [`review.${domain}`], resources: ['quotareviews'], verbs: ['create'] };
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/team';
    const grant = async (name: string, rules: object[]) => {
      await cluster.request('POST', `${rbac}/roles`, { body: { metadata: { name }, rules } });
      await cluster.request('POST', `${rbac}/rolebindings`, {
        body: {
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
        },
      });
    };
    await grant('reviewer', [rule]);
    await waitUntil('the role to count', async () => (await asAnn()).status === 201, 30_000);
    const hidden = await asAnn();
    expect(hidden.body.status.allowed).toBe(false);
    expect(JSON.stringify(hidden.body.status)).not.toContain('small');
    await grant('lister', [{ apiGroups: [`core.${domain}`], resources: ['resourcequotas'], verbs: ['list'] }]);
    await waitUntil(
      'the second role to count',
      async () => JSON.stringify((await asAnn()).body.status).includes('small'),
      30_000,
    );
  });

  const headers = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };

  it('believes the aggregator, by the certificate that the host names', async () => {
    const pair = await issueProxyCertificate(cluster, 'aggregator');
    expect((await call({ pair, headers })).status).toBe(200);
    expect((await call({ pair })).status).toBe(401);
  });

  it('believes nobody else: spoofed headers are refused', async () => {
    const now = Date.now();
    const life = { notBeforeMillis: now - 60_000, notAfterMillis: now + 3_600_000 };
    const authority = await makeCertificate({ commonName: 'front-proxy-ca', purpose: 'authority', ...life });
    const foreign = await makeCertificate({ commonName: 'aggregator', purpose: 'client', ...life }, authority);
    const client = await cluster.issueClientCertificate('aggregator', ['system:masters']);
    const pairs: Record<string, KeyedCertificate | undefined> = {
      none: undefined,
      'of an authority of the same name': foreign,
      "of the host's authority of clients": { certificate: client.certificate, privateKey: client.key },
      'of another name': await issueProxyCertificate(cluster, 'somebody'),
    };
    for (const [name, pair] of Object.entries(pairs)) {
      const answer = await call({ headers, ...(pair === undefined ? {} : { pair }) });
      expect(answer.status, name).toBe(401);
    }
    const token = { authorization: `Bearer ${cluster.token}` };
    expect((await call({ headers: { ...headers, ...token } })).status).toBe(401);
    expect((await call({ path: '/readyz' })).status).toBe(200);
    // The own port reads no such headers at all.
    expect((await service.request('GET', '/apis', { anonymous: true, headers })).status).toBe(401);
  });

  it('follows the host to another authority', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    const now = Date.now();
    const life = { notBeforeMillis: now - 60_000, notAfterMillis: now + 3_600_000 };
    const authority = await makeCertificate({ commonName: 'next', purpose: 'authority', ...life });
    const next = await makeCertificate({ commonName: 'aggregator', purpose: 'client', ...life }, authority);
    const former = await issueProxyCertificate(cluster, 'aggregator');
    expect(new X509Certificate(next.certificate).issuer).toContain('next');
    const { body } = await cluster.request('GET', path);
    const patch = (data: Record<string, string>) =>
      cluster.request('PATCH', path, { headers: { 'content-type': 'application/merge-patch+json' }, body: { data } });
    await patch({ 'requestheader-client-ca-file': authority.certificate });
    await waitUntil(
      'the next authority to be believed',
      async () => (await call({ pair: next, headers })).status === 200,
    );
    expect((await call({ pair: former, headers })).status).toBe(401);
    await patch({ 'requestheader-client-ca-file': body.data['requestheader-client-ca-file'] });
    await waitUntil('the former authority', async () => (await call({ pair: former, headers })).status === 200);
  });
});
