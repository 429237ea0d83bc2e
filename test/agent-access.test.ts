import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, createServer, request as sendHttps } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { buildRequestGuard } from '../agent/access/build-request-guard.ts';
import { resolveFeatureGates } from '../agent/config/feature-gates.ts';
import type { RequestGuardOptions } from '../agent/access/build-request-guard.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import { buildKindRegistry } from '../kinds/registry.ts';
import { nameAgentAudience } from '../platform/agents/agent-identity.ts';
import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import type { KeyedCertificate } from '../platform/certificates/make-certificate.ts';
import { followTls, makeConstantCertificate, readTls, toAuthorityOption } from '../platform/certificates/serve-tls.ts';
import { openHostConnection } from '../platform/kube/open-host-connection.ts';
import { systemClock } from '../platform/process/clock.ts';
import { createSilentLogger } from '../platform/process/logger.ts';
import { ManualClock } from '../platform/process/manual-clock.ts';
import { createMetricsRegistry } from '../platform/process/metrics.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import type { ResourceClient } from '../platform/resources/resource-client.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import { startService } from './service/start-service.ts';

const domain = 'bailiwick.dev';
const nodeName = 'node-1';
const logger = createSilentLogger();
const hourMillis = 3_600_000;
const account = 'system:serviceaccount:default:caller';
const paths = { checkpoint: '/checkpoint/ns/pod/container', pods: '/pods', status: '/status' };

type Authentication = RequestGuardOptions['configuration']['authentication'];

/** What the suites ask of the API that the guard asks. */
interface Api {
  readonly kubeconfig: string;
  request(
    method: string,
    path: string,
    options?: { body?: unknown; token?: string },
  ): Promise<{ status: number; json: unknown }>;
  issueToken(audiences?: readonly string[]): Promise<string>;
  stop(): Promise<unknown>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type: string | undefined;
}

interface Credentials {
  readonly token?: string;
  readonly client?: KeyedCertificate;
  /** What keeps connections, or sessions, from one request to the next. */
  readonly agent?: Agent;
}

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const validity = { notBeforeMillis: Date.now() - hourMillis, notAfterMillis: Date.now() + hourMillis };

async function makeAuthority(commonName: string): Promise<KeyedCertificate> {
  return makeCertificate({ commonName, purpose: 'authority', ...validity });
}

/** A server of nothing but the guard's answers, over TLS as an agent has it. */
class GuardedServer {
  readonly counts = { tokens: 0, rights: 0 };
  #server: Server | undefined;
  readonly #ends: (() => void)[] = [];

  async start(options: {
    client: ResourceClient | undefined;
    authority: KeyedCertificate;
    clients?: { current: string | undefined };
    clock?: ManualClock;
    authentication?: Partial<Authentication>;
    mode?: 'Webhook' | 'AlwaysAllow';
  }): Promise<void> {
    const { client, authority, clients = { current: undefined }, mode = 'Webhook' } = options;
    const listeners = new Set<() => void>();
    const clientAuthorities = {
      current: () => clients.current,
      subscribe: (listener: () => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const serving = await makeCertificate(
      { commonName: nodeName, purpose: 'server', subjectNames: [nodeName, '127.0.0.1'], ...validity },
      authority,
    );
    const guard = buildRequestGuard({
      configuration: {
        gates: resolveFeatureGates({}),
        authentication: {
          x509: { clientCaFile: undefined },
          webhook: { enabled: true, cacheTtlMillis: 120_000 },
          anonymous: { enabled: false },
          ...options.authentication,
        },
        authorization: {
          mode,
          webhook: { cacheAuthorizedTtlMillis: 300_000, cacheUnauthorizedTtlMillis: 30_000 },
        },
      },
      ...{ nodeName, domain, clientAuthorities, clock: options.clock ?? systemClock, logger },
      client: client === undefined ? undefined : this.#count(client),
      metrics: createMetricsRegistry(),
    });
    const certificates = makeConstantCertificate(serving, authority.certificate);
    const { certificate, privateKey, clientAuthority } = readTls(certificates, clientAuthorities);
    const server = createServer(
      {
        ...{ cert: certificate, key: privateKey },
        ...(clientAuthority === undefined
          ? {}
          : { ca: toAuthorityOption(clientAuthority), requestCert: true, rejectUnauthorized: false }),
      },
      (request, response) =>
        void guard.check(request).then((answer) => {
          if ('user' in answer) response.end(answer.user.username);
          else response.writeHead(answer.refusal.status).end(answer.refusal.message);
        }),
    );
    this.#ends.push(followTls(server, certificates, clientAuthorities), () => server.closeAllConnections());
    this.#server = server;
    this.rotate = (text) => {
      clients.current = text;
      for (const listener of listeners) listener();
    };
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Changes the authorities of clients. */
  rotate: (text: string) => void = () => undefined;

  #count(client: ResourceClient): ResourceClient {
    const counted: Pick<ResourceClient, 'create'> = {
      create: (reference, object, options) => {
        this.counts[reference.resource.resource === 'tokenreviews' ? 'tokens' : 'rights'] += 1;
        return client.create(reference, object, options);
      },
    };
    return Object.assign(Object.create(client) as ResourceClient, counted);
  }

  async send(method: string, path: string, { token, client, agent }: Credentials = {}): Promise<Answer> {
    if (this.#server === undefined) throw new Error('the server was not started');
    const { port } = this.#server.address() as AddressInfo;
    const sent = sendHttps({
      ...{ host: '127.0.0.1', port, method, path, agent: agent ?? false, rejectUnauthorized: false },
      ...(client === undefined ? {} : { cert: client.certificate, key: client.privateKey }),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode ?? 0, text, type: response.headers['content-type'] };
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    await new Promise((resolve) => (this.#server === undefined ? resolve(undefined) : this.#server.close(resolve)));
  }
}

async function startEmbeddedApi(): Promise<Api> {
  const service = await startService({ domain });
  return { ...service, issueToken: (audiences) => issueToken(service, audiences), stop: () => service.stop() };
}

async function startHostApi(): Promise<Api> {
  const cluster = await startCluster();
  const request: Api['request'] = async (method, path, { body, token } = {}) => {
    const answer = await cluster.request(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    });
    return { status: answer.status, json: answer.body as unknown };
  };
  const api = { kubeconfig: cluster.kubeconfig, request, stop: () => cluster.stop() };
  return { ...api, issueToken: (audiences) => issueToken(api, audiences) };
}

async function issueToken(api: Pick<Api, 'request'>, audiences?: readonly string[]): Promise<string> {
  const path = '/api/v1/namespaces/default/serviceaccounts/caller/token';
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences } };
  const { status, json } = await api.request('POST', path, { body });
  expect(status).toBe(201);
  return (json as { status: { token: string } }).status.token;
}

/** Gives the account these verbs on subresources of the node, and no others. */
async function allow(api: Api, resources: readonly string[], verbs: readonly string[]): Promise<void> {
  const metadata = { name: 'agent-caller' };
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata };
  const body = { ...role, rules: [{ apiGroups: [''], resources, verbs }] };
  await api.request('DELETE', `${rbac}/clusterroles/agent-caller`);
  expect(await api.request('POST', `${rbac}/clusterroles`, { body })).toMatchObject({ status: 201 });
}

async function prepareApi(api: Api): Promise<void> {
  const made: [string, KubeObject & Record<string, unknown>][] = [
    [
      '/api/v1/namespaces/default/serviceaccounts',
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'caller' } },
    ],
    [
      `${rbac}/clusterrolebindings`,
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'agent-caller' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'agent-caller' },
        subjects: [{ kind: 'ServiceAccount', name: 'caller', namespace: 'default' }],
      },
    ],
  ];
  for (const [path, body] of made) expect(await api.request('POST', path, { body })).toMatchObject({ status: 201 });
}

function describeAccess(start: () => Promise<Api>): void {
  let api: Api;
  let connection: Awaited<ReturnType<typeof openHostConnection>>;
  let client: ResourceClient;
  let authority: KeyedCertificate;
  let other: KeyedCertificate;
  let server: GuardedServer;
  const registry = buildKindRegistry(domain);

  const issueClient = (by: KeyedCertificate, commonName: string, organizations: readonly string[] = []) =>
    makeCertificate({ commonName, organizations, purpose: 'client', ...validity }, by);

  beforeAll(async () => {
    [api, authority, other] = await Promise.all([start(), makeAuthority('clients'), makeAuthority('others')]);
    await prepareApi(api);
    connection = await openHostConnection({
      ...{ kubeconfig: api.kubeconfig, clock: systemClock, logger, userAgent: 'suite/1.0' },
    });
    client = createHostResourceClient({ connection, registry, clock: systemClock });
  });
  afterAll(async () => {
    connection?.close();
    await api?.stop();
  });
  beforeEach(() => {
    server = new GuardedServer();
  });
  afterEach(() => server.stop());

  it("refuses who shows nothing, or a token that is nobody's, in the words of a kubelet", async () => {
    await server.start({ client, authority });
    const refused = { status: 401, text: 'Unauthorized' };
    expect(await server.send('GET', paths.pods)).toMatchObject(refused);
    expect(await server.send('GET', '/healthz')).toMatchObject(refused);
    expect(await server.send('GET', paths.pods, { token: 'nobody' })).toMatchObject(refused);
    expect(await server.send('GET', paths.pods, { token: 'x'.repeat(12_000) })).toMatchObject(refused);
  });

  it('lets a token do what its owner may do on the node', async () => {
    await server.start({ client, authority, clock: new ManualClock() });
    const token = await api.issueToken();
    await allow(api, ['nodes/checkpoint'], ['create']);
    expect(await server.send('POST', paths.checkpoint, { token })).toMatchObject({ status: 200, text: account });
    const text = (verb: string, subresources: string) =>
      `Forbidden (user=${account}, verb=${verb}, resource=nodes, subresource(s)=[${subresources}])\n`;
    expect(await server.send('GET', '/checkpoints', { token })).toMatchObject({
      ...{ status: 403, text: text('get', 'checkpoint') },
    });
    expect(await server.send('GET', paths.pods, { token })).toMatchObject({
      status: 403,
      text: text('get', 'pods proxy'),
    });
    expect(await server.send('GET', '/metrics', { token })).toMatchObject({
      status: 403,
      text: text('get', 'metrics'),
    });
    expect(await server.send('GET', paths.status, { token })).toMatchObject({
      status: 403,
      text: text('get', 'proxy'),
    });
  });

  it('lets who may use the whole node use its finer parts as well, but not its checkpoints', async () => {
    await server.start({ client, authority });
    const token = await api.issueToken();
    await allow(api, ['nodes/proxy'], ['get', 'create']);
    for (const path of ['/pods', '/healthz', '/configz', '/status']) {
      expect(await server.send('GET', path, { token })).toMatchObject({ status: 200 });
    }
    for (const path of ['/checkpoints', '/metrics', '/pods/../checkpoints', '/%63heckpoints']) {
      expect(await server.send('GET', path, { token })).toMatchObject({ status: 403 });
    }
  });

  it("takes a token that is meant for this node's agent, and none for another's", async () => {
    await server.start({ client, authority });
    await allow(api, ['nodes/checkpoint'], ['create']);
    const own = await api.issueToken([nameAgentAudience(domain, nodeName)]);
    const others = await api.issueToken([nameAgentAudience(domain, 'node-2')]);
    expect(await server.send('POST', paths.checkpoint, { token: own })).toMatchObject({ status: 200, text: account });
    expect(await server.send('POST', paths.checkpoint, { token: others })).toMatchObject({ status: 401 });
    // The API server itself takes neither.
    for (const token of [own, others]) {
      expect(await api.request('GET', '/api/v1/namespaces', { token })).toMatchObject({ status: 401 });
    }
  });

  it('asks once for many that wait, and believes an answer for its time', async () => {
    const clock = new ManualClock();
    await server.start({ client, authority, clock });
    const token = await api.issueToken();
    await allow(api, ['nodes/checkpoint'], ['create']);
    const send = () => server.send('POST', paths.checkpoint, { token });
    const together = await Promise.all(Array.from({ length: 20 }, send));
    expect(together.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(server.counts).toEqual({ tokens: 1, rights: 1 });

    await allow(api, ['nodes/checkpoint'], ['get']);
    clock.advance(119_000);
    expect(await send()).toMatchObject({ status: 200 });
    expect(server.counts).toEqual({ tokens: 1, rights: 1 });
    clock.advance(2_000);
    expect(await send()).toMatchObject({ status: 200 });
    expect(server.counts).toEqual({ tokens: 2, rights: 1 });
    clock.advance(180_000);
    expect(await send()).toMatchObject({ status: 403 });
    expect(server.counts).toEqual({ tokens: 3, rights: 2 });

    await allow(api, ['nodes/checkpoint'], ['create']);
    clock.advance(29_000);
    expect(await send()).toMatchObject({ status: 403 });
    clock.advance(2_000);
    expect(await send()).toMatchObject({ status: 200 });
    expect(server.counts).toEqual({ tokens: 3, rights: 3 });
  });

  it('asks anew for a token that was refused', async () => {
    await server.start({ client, authority });
    for (let count = 0; count < 3; count += 1) await server.send('GET', paths.pods, { token: 'nobody' });
    expect(server.counts).toEqual({ tokens: 3, rights: 0 });
  });

  it('knows clients by certificates of their authority alone', async () => {
    const [administrator, stranger, token] = await Promise.all([
      issueClient(authority, 'ann', ['system:masters']),
      issueClient(other, 'ann', ['system:masters']),
      api.issueToken(),
    ]);
    await allow(api, ['nodes/proxy'], ['get']);
    await server.start({ client, authority, clients: { current: authority.certificate } });
    expect(await server.send('POST', paths.checkpoint, { client: administrator })).toMatchObject({
      status: 200,
      text: 'ann',
    });
    expect(await server.send('POST', paths.checkpoint, { client: stranger })).toMatchObject({ status: 401 });
    // A certificate goes before a token, and one that is not believed does not spoil the token.
    expect(await server.send('GET', paths.pods, { client: administrator, token })).toMatchObject({ text: 'ann' });
    expect(await server.send('GET', paths.pods, { client: stranger, token })).toMatchObject({ text: account });
    const [nobody, serving] = await Promise.all([
      issueClient(authority, 'bob'),
      makeCertificate(
        { commonName: 'ann', organizations: ['system:masters'], purpose: 'server', ...validity },
        authority,
      ),
    ]);
    expect(await server.send('GET', paths.status, { client: nobody })).toMatchObject({
      ...{ status: 403, text: 'Forbidden (user=bob, verb=get, resource=nodes, subresource(s)=[proxy])\n' },
    });
    expect(await server.send('GET', paths.status, { client: serving })).toMatchObject({ status: 401 });
  });

  it.for([
    ['new connections', undefined],
    ['connections that stand', { keepAlive: true, maxSockets: 1 }],
    ['sessions that go on', { keepAlive: false, maxCachedSessions: 10 }],
  ] as const)('follows the authorities of clients: %s', async ([, kept]) => {
    const [before, after] = await Promise.all([
      issueClient(authority, 'ann', ['system:masters']),
      issueClient(other, 'eve', ['system:masters']),
    ]);
    await server.start({ client, authority, clients: { current: authority.certificate } });
    const agent = kept === undefined ? undefined : new Agent(kept);
    const send = (from: KeyedCertificate) =>
      server.send('GET', paths.pods, { client: from, ...(agent === undefined ? {} : { agent }) });
    try {
      expect(await send(before)).toMatchObject({ status: 200 });
      expect(await send(before)).toMatchObject({ status: 200 });
      server.rotate(other.certificate);
      expect(await send(before)).toMatchObject({ status: 401 });
      expect(await send(after)).toMatchObject({ status: 200, text: 'eve' });
      server.rotate(`${authority.certificate}${other.certificate}`);
      expect(await server.send('GET', paths.pods, { client: before })).toMatchObject({ status: 200 });
    } finally {
      agent?.destroy();
    }
  });

  it('lets nobody in particular in only where that is allowed, and never with wrong credentials', async () => {
    const stranger = await issueClient(other, 'ann');
    const authentication = { anonymous: { enabled: true } };
    await server.start({ client, authority, authentication, clients: { current: authority.certificate } });
    expect(await server.send('GET', paths.pods)).toMatchObject({
      status: 403,
      text: 'Forbidden (user=system:anonymous, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
    });
    expect(await server.send('GET', paths.pods, { token: 'nobody' })).toMatchObject({ status: 401 });
    expect(await server.send('GET', paths.pods, { client: stranger })).toMatchObject({ status: 401 });
  });

  it('lets everybody do everything who is somebody, where that is asked for', async () => {
    await server.start({ client, authority, mode: 'AlwaysAllow' });
    await allow(api, ['nodes/none'], ['get']);
    const token = await api.issueToken();
    expect(await server.send('POST', paths.checkpoint, { token })).toMatchObject({ status: 200 });
    expect(await server.send('POST', paths.checkpoint)).toMatchObject({ status: 401 });
  });

  it('believes no token where that is switched off', async () => {
    await server.start({ client, authority, authentication: { webhook: { enabled: false, cacheTtlMillis: 0 } } });
    const token = await api.issueToken();
    expect(await server.send('GET', paths.pods, { token })).toMatchObject({ status: 401 });
    expect(server.counts.tokens).toBe(0);
  });

  it('answers 401 to tokens and 500 to certificates while it may not ask', async () => {
    const token = await api.issueToken();
    const strangers = createHostResourceClient({
      ...{
        connection,
        registry,
        clock: systemClock,
        credentials: 'none',
        headers: { authorization: `Bearer ${token}` },
      },
    });
    const bob = await issueClient(authority, 'bob');
    await server.start({ client: strangers, authority, clients: { current: authority.certificate } });
    expect(await server.send('GET', paths.pods, { token })).toMatchObject({ status: 401, text: 'Unauthorized' });
    expect(await server.send('GET', paths.pods, { client: bob })).toMatchObject({
      status: 500,
      text: 'Authorization error (user=bob, verb=get, resource=nodes, subresource=pods)',
    });
  });
}

describe('access to an agent, as the service with a store of its own decides', () => describeAccess(startEmbeddedApi));

describeCluster('access to an agent, as a real API server decides', () => describeAccess(startHostApi));

describe('access to an agent without an API', () => {
  let server: GuardedServer;

  beforeEach(() => {
    server = new GuardedServer();
  });
  afterEach(() => server.stop());

  it('is for those with a client certificate alone', async () => {
    const authority = await makeAuthority('clients');
    const bob = await makeCertificate({ commonName: 'bob', purpose: 'client', ...validity }, authority);
    const authentication = { anonymous: { enabled: true } };
    await server.start({ client: undefined, authority, authentication, clients: { current: authority.certificate } });
    expect(await server.send('POST', paths.checkpoint, { client: bob })).toMatchObject({ status: 200 });
    expect(await server.send('POST', paths.checkpoint)).toMatchObject({ status: 403 });
    expect(await server.send('POST', paths.checkpoint, { token: 'a' })).toMatchObject({ status: 403 });
  });

  it('answers as long as the API cannot be reached, and says nothing of why', async () => {
    const authority = await makeAuthority('clients');
    const bob = await makeCertificate({ commonName: 'bob', purpose: 'client', ...validity }, authority);
    const unreachable = { create: () => Promise.reject(new Error('secret detail')) } as unknown as ResourceClient;
    await server.start({ client: unreachable, authority, clients: { current: authority.certificate } });
    expect(await server.send('GET', paths.status, { token: 'a' })).toMatchObject({ status: 401, text: 'Unauthorized' });
    expect(await server.send('GET', paths.status, { client: bob })).toMatchObject({
      status: 500,
      text: 'Authorization error (user=bob, verb=get, resource=nodes, subresource=proxy)',
    });
  });
});
