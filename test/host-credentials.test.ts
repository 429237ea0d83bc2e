import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import { readCertificates } from '../platform/certificates/read-certificate.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import type { Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { writeKubeconfig } from './cluster/write-kubeconfig.ts';
import { installCrds } from './crds/install-crds.ts';
import { connectApi, readApiAccess } from './host/connect-api.ts';
import type { ApiAccess, ApiAnswer, ApiClient } from './host/connect-api.ts';
import { findKubectlSkipReason } from './service/run-kubectl.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';

const domain = 'credentials.example';
const quotas = '/api/v1/namespaces/team/resourcequotas';
const foreign = '/api/v1/namespaces/team/configmaps';
const selfReviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const selfReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
const operatorName = 'the-operator-itself';
const robot = 'system:serviceaccount:team:robot';
const kubectlSkipReason = findKubectlSkipReason();

/** What the host wrote down about a request. */
interface AuditedRequest {
  readonly auditID: string;
  readonly user: { readonly username: string; readonly extra?: Readonly<Record<string, readonly string[]>> };
  readonly impersonatedUser?: { readonly username: string };
}

/** What a client can tell of an answer to a SelfSubjectReview. */
function describeAnswer({ status, json }: ApiAnswer) {
  const { username, groups } = json?.status?.userInfo ?? {};
  return { status, message: json?.message as unknown, username: username as unknown, groups: groups as unknown };
}

describeCluster('credentials at the API service before a host', () => {
  let folder: string;
  let cluster: Cluster;
  let service: Service;
  let access: ApiAccess;
  let own: ApiClient;
  let token: string;
  /** The operator's own kubeconfig: a certificate, which every connection that it is used on would show. */
  let kubeconfig: string;
  const clients: ApiClient[] = [];

  const connectAs = (identity: Partial<ApiAccess>): ApiClient => {
    const { url, ca = '' } = access;
    const client = connectApi({ url, ca, ...identity });
    clients.push(client);
    return client;
  };

  async function findAudited(auditId: string): Promise<AuditedRequest[]> {
    // What came before this is written by the time that this is.
    const marker = crypto.randomUUID();
    await cluster.request('GET', '/version', { headers: { 'audit-id': marker } });
    let text = '';
    await waitUntil('the host to write down what it was asked', async () => {
      text = await readFile(join(folder, 'audit.log'), 'utf8');
      return text.includes(marker) && text.endsWith('\n');
    });
    const lines = text.split('\n').filter((line) => line.includes(auditId));
    return lines.map((line) => JSON.parse(line) as AuditedRequest);
  }

  async function askWho(client: ApiClient, headers: OutgoingHttpHeaders = {}): Promise<ApiAnswer> {
    return client.request('POST', selfReviews, { body: selfReview, headers });
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bailiwick-credentials-'));
    const policy = join(folder, 'policy.json');
    const rules = [{ level: 'Metadata', omitStages: ['RequestReceived', 'ResponseStarted'] }];
    await writeFile(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
    cluster = await startCluster({
      apiServerFlags: [
        '--disable-admission-plugins=ResourceQuota,LimitRanger,ServiceAccount',
        ...[`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, 'audit.log')}`],
      ],
    });
    await installCrds(cluster, domain);
    kubeconfig = join(folder, 'kubeconfig');
    const pair = await cluster.issueClientCertificate(operatorName, ['system:masters']);
    await writeKubeconfig(kubeconfig, cluster.url, cluster.ca, pair);
    service = await startService({ domain, flags: ['--store', 'crds', '--kubeconfig', kubeconfig] });
    access = await readApiAccess(service.kubeconfig);
    own = connectAs(access);
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'team' } } });
    const accounts = '/api/v1/namespaces/team/serviceaccounts';
    await cluster.request('POST', accounts, { body: { metadata: { name: 'robot' } } });
    const issued = await cluster.request('POST', `${accounts}/robot/token`, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    token = issued.body.status.token;
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await service?.stop();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("hands a caller's token on as it is, and lets the host decide", async () => {
    const client = connectAs({ token });
    const body = { metadata: { name: 'mine' }, spec: { hard: { pods: '3' } } };
    expect((await own.request('POST', quotas, { body })).status).toBe(201);
    for (const [path, resource] of [
      [`${quotas}/mine`, 'resourcequotas "mine" is forbidden'],
      [foreign, 'configmaps is forbidden'],
    ] as const) {
      const auditId = crypto.randomUUID();
      const refused = await client.request('GET', path, { headers: { 'audit-id': auditId } });
      expect(refused.status).toBe(403);
      expect(refused.json.message).toContain(`${resource}: User "${robot}" cannot `);
      const audited = await findAudited(auditId);
      expect(audited.map(({ user }) => user.username)).toEqual([robot]);
      // Which of the account's tokens it was, and that nobody acts for the account.
      const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
      expect(audited[0]?.user.extra?.['authentication.kubernetes.io/credential-id']).toEqual([`JTI=${jti}`]);
      expect(audited[0]?.impersonatedUser).toBeUndefined();
    }
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/team';
    const rules = [{ apiGroups: [`core.${domain}`], resources: ['resourcequotas'], verbs: ['get'] }];
    await cluster.request('POST', `${rbac}/roles`, { body: { metadata: { name: 'robot' }, rules } });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'robot' };
    const subjects = [{ kind: 'ServiceAccount', name: 'robot', namespace: 'team' }];
    const binding = { metadata: { name: 'robot' }, roleRef, subjects };
    await cluster.request('POST', `${rbac}/rolebindings`, { body: binding });
    await waitUntil('the role to count', async () => {
      return (await client.request('GET', `${quotas}/mine`)).status === 200;
    });
    expect((await client.request('GET', `${quotas}/mine`)).json.spec).toEqual({ hard: { pods: '3' } });
    expect((await client.request('DELETE', `${quotas}/mine`)).status).toBe(403);
  });

  const intruders: readonly (readonly [
    name: string,
    identify: () => Promise<Partial<ApiAccess>>,
    OutgoingHttpHeaders,
  ])[] = [
    ['nobody', async () => ({}), {}],
    ['nobody who says that a front proxy knows them', async () => ({}), { 'x-remote-user': operatorName }],
    ['nobody who acts as the operator', async () => ({}), { 'impersonate-user': operatorName }],
    ['an unknown token', async () => ({ token: 'unknown' }), {}],
    [
      'an unknown token that acts as the operator',
      async () => ({ token: 'unknown' }),
      { 'impersonate-user': operatorName },
    ],
    ['a token with another signature', async () => ({ token: `${token.slice(0, -8)}AAAAAAAA` }), {}],
    ['a password', async () => ({}), { authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` }],
    [
      "a certificate that the host's authority issued",
      async () => ({ clientCertificate: await cluster.issueClientCertificate('root', ['system:masters']) }),
      {},
    ],
    [
      "a certificate with the names of the own client's",
      async () => {
        const [certificate] = readCertificates(access.clientCertificate?.certificate ?? '');
        const names = new Map(certificate?.subject.split('\n').map((line) => line.split('=') as [string, string]));
        const made = await makeCertificate({
          ...{ commonName: names.get('CN') ?? '', organizations: [names.get('O') ?? ''], purpose: 'client' },
          ...{ notBeforeMillis: Date.now() - 60_000, notAfterMillis: Date.now() + 3_600_000 },
        });
        return { clientCertificate: { certificate: made.certificate, key: made.privateKey } };
      },
      {},
    ],
  ];

  it.for(intruders)('lets %s nowhere near the host', async ([, identify, headers]) => {
    const client = connectAs(await identify());
    const auditId = crypto.randomUUID();
    for (const path of [quotas, foreign, '/apis', '/version', `/apis/review.${domain}/v1`]) {
      const answer = await client.request('GET', path, { headers: { ...headers, 'audit-id': auditId } });
      expect(answer.status, path).toBe(401);
    }
    const write = { body: { metadata: { name: 'intruder' } }, headers: { ...headers, 'audit-id': auditId } };
    expect((await client.request('POST', foreign, write)).status).toBe(401);
    expect(await findAudited(auditId)).toEqual([]);
  });

  it('tells callers apart whose requests come at once', async () => {
    const callers = [
      [own, 201, operatorName],
      [connectAs({ token }), 201, robot],
      [connectAs({ token: 'unknown' }), 401, undefined],
    ] as const;
    await Promise.all(
      Array.from({ length: 90 }, async (_, index) => {
        const [client, status, username] = callers[index % callers.length] ?? callers[0];
        expect(describeAnswer(await askWho(client))).toMatchObject({ status, username });
      }),
    );
  });

  it("acts for its own client alone, whose token beside the certificate is nobody's business", async () => {
    const auditId = crypto.randomUUID();
    const answer = await askWho(own, { authorization: `Bearer ${token}`, 'audit-id': auditId });
    expect(answer.json.status.userInfo.username).toBe(operatorName);
    expect((await findAudited(auditId)).map(({ user }) => user.username)).toEqual([operatorName]);
  });

  it.for<[name: string, headers: () => OutgoingHttpHeaders]>([
    [
      'identities of a front proxy',
      () => ({
        'x-remote-user': 'admin',
        'X-Remote-Group': 'system:masters',
        'x-remote-extra-scopes': 'all',
        'x-remote-uid': '1',
      }),
    ],
    ['an identity to act as', () => ({ 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' })],
    ['a service account to act as', () => ({ 'impersonate-user': 'system:serviceaccount:kube-system:default' })],
    ['a group without a user to act as', () => ({ 'impersonate-group': 'system:masters' })],
    ['a uid without a user to act as', () => ({ 'impersonate-uid': '1' })],
    ['extra of nobody to act as', () => ({ 'impersonate-extra-scopes': 'all' })],
    ['a second token', () => ({ Authorization: [`Bearer ${token}`, `Bearer ${cluster.token}`] })],
    ['credentials for a proxy', () => ({ 'proxy-authorization': `Bearer ${cluster.token}` })],
    ['credentials in a cookie', () => ({ cookie: `authorization=${cluster.token}` })],
  ])('leaves it to the host what to make of %s', async ([, makeHeaders]) => {
    const headers = makeHeaders();
    const auditId = crypto.randomUUID();
    const direct = connectApi({ url: cluster.url, ca: cluster.ca, token });
    clients.push(direct);
    const answer = describeAnswer(await askWho(connectAs({ token }), { ...headers, 'audit-id': auditId }));
    expect(answer).toEqual(describeAnswer(await askWho(direct, headers)));
    expect([robot, undefined]).toContain(answer.username);
    const audited = await findAudited(auditId);
    expect(audited.map(({ user }) => user.username)).toEqual([robot]);
  });

  it.for<[named: string, headers: OutgoingHttpHeaders, username: string]>([
    ['x-remote-user', { 'x-remote-user': 'admin' }, robot],
    ['impersonate-user', { 'impersonate-user': 'admin' }, robot],
    ['audit-id', {}, robot],
    ['content-length', {}, robot],
    // Without its token the request is nobody's, and never the operator's.
    ['authorization', {}, 'system:anonymous'],
  ])('gives nobody more for naming %s in Connection', async ([named, headers, username]) => {
    const auditId = crypto.randomUUID();
    const connection = `keep-alive, ${named}`;
    const answer = await askWho(connectAs({ token }), { ...headers, connection, 'audit-id': auditId });
    expect(answer.status, answer.text).toBe(username === robot ? 201 : 403);
    expect((await findAudited(auditId)).map(({ user }) => user.username)).toEqual([username]);
  });

  it('takes no second request out of the body of the first', async () => {
    const auditId = crypto.randomUUID();
    const { hostname, port } = new URL(access.url);
    const { certificate = '', key = '' } = access.clientCertificate ?? {};
    const socket = connect({ host: hostname, port: Number(port), ca: access.ca ?? '', cert: certificate, key });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    socket.on('error', () => undefined);
    const hidden = `0\r\n\r\nDELETE ${quotas}/mine HTTP/1.1\r\nHost: a\r\nAudit-ID: ${auditId}\r\n\r\n`;
    socket.write(
      `POST ${foreign} HTTP/1.1\r\nHost: a\r\nAudit-ID: ${auditId}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n${hidden}`,
    );
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(await findAudited(auditId)).toEqual([]);
  });

  it.skipIf(kubectlSkipReason !== undefined)(
    `serves only its own client where a proxy without TLS speaks as its owner to the host${kubectlSkipReason === undefined ? '' : ` (${kubectlSkipReason})`}`,
    async () => {
      const proxy = spawn('kubectl', ['--kubeconfig', kubeconfig, 'proxy', '--port=0'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const proxyEnded = once(proxy, 'exit');
      let behind: Service | undefined;
      try {
        let said = '';
        proxy.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
        await waitUntil('the proxy to serve', async () => /:(\d+)\s/.test(said));
        const server = `http://127.0.0.1:${/:(\d+)\s/.exec(said)?.[1]}`;
        const plain = join(folder, 'plain-kubeconfig');
        const config = {
          ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c', users: [] },
          clusters: [{ name: 'c', cluster: { server } }],
          contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }],
        };
        await writeFile(plain, JSON.stringify(config));
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const through = await fetch(`${server}${selfReviews}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(selfReview),
        });
        expect(await through.json()).toMatchObject({ status: { userInfo: { username: operatorName } } });

        behind = await startService({ domain, flags: ['--store', 'crds', '--kubeconfig', plain] });
        const there = await readApiAccess(behind.kubeconfig);
        expect((await askWho(connectAs(there))).json.status.userInfo.username).toBe(operatorName);
        const { url, ca = '' } = there;
        for (const identity of [{ token }, { token: 'unknown' }, {}]) {
          const auditId = crypto.randomUUID();
          const client = connectAs({ url, ca, ...identity });
          expect((await askWho(client, { 'audit-id': auditId })).status).toBe(401);
          expect((await client.request('GET', quotas, { headers: { 'audit-id': auditId } })).status).toBe(401);
          expect(await findAudited(auditId)).toEqual([]);
        }
      } finally {
        await behind?.stop();
        proxy.kill();
        await proxyEnded;
      }
    },
  );
});
