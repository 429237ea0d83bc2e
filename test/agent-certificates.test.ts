import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { openServingCertificate } from '../agent/certificates/open-serving-certificate.ts';
import { buildKindRegistry } from '../kinds/registry.ts';
import { openHostAgentTrust } from '../operator/agent-trust/host-agent-trust.ts';
import type { AgentTrust } from '../operator/agent-trust/agent-trust.ts';
import { AgentCertificatesController } from '../operator/controllers/agent-certificates/agent-certificates-controller.ts';
import { createSelfReader } from '../operator/host/read-self.ts';
import { nameAgentAudience, nameAgentsBundle, nameServingSigner } from '../platform/agents/agent-identity.ts';
import { checkServedCertificate, fetchServedCertificate } from '../platform/certificates/check-served-certificate.ts';
import { readCertificates, isSignedBy } from '../platform/certificates/read-certificate.ts';
import { followTls, makeConstantAuthorities } from '../platform/certificates/serve-tls.ts';
import { makeServerRequest } from '../platform/certificates/make-certificate.ts';
import { openHostConnection } from '../platform/kube/open-host-connection.ts';
import { systemClock } from '../platform/process/clock.ts';
import { createSilentLogger } from '../platform/process/logger.ts';
import { createMetricsRegistry } from '../platform/process/metrics.ts';
import { buildReleaseNames } from '../platform/release/release-names.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import type { ResourceClient } from '../platform/resources/resource-client.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { startService } from './service/start-service.ts';

const domain = 'bailiwick.dev';
const logger = createSilentLogger();
const registry = buildKindRegistry(domain);
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const rbac = '/apis/rbac.authorization.k8s.io/v1';

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind, looked into by tests
  readonly json: any;
}

/** An API with what approves and signs, and where the agents' objects are. */
interface Api {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly release: string;
  request(method: string, path: string, options?: { body?: unknown; token?: string }): Promise<Answer>;
  stop(): Promise<unknown>;
}

/** Rights of the agents, as the chart gives them. */
const agentRules = [
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create', 'get'] },
];

/** The same beside the operator. */
const agentReleaseRules = [
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [nameAgentsBundle(domain)], verbs: ['get'] },
];

/** Rights of the operator with the agents' certificates, as the chart gives them. */
const operatorRules = [
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
    verbs: ['update'],
  },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    resourceNames: [nameServingSigner(domain)],
    verbs: ['approve', 'sign'],
  },
  { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get'] },
];

/** The same in the release's namespace. */
function listReleaseRules(names: ReturnType<typeof buildReleaseNames>) {
  return [
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: [names.agentsAuthority],
      verbs: ['get', 'list', 'update', 'watch'],
    },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [nameAgentsBundle(domain)], verbs: ['get', 'update'] },
    { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [names.operator], verbs: ['create'] },
  ];
}

async function make(api: Pick<Api, 'request'>, path: string, body: object): Promise<void> {
  const { status, json } = await api.request('POST', path, { body });
  expect(status, JSON.stringify(json)).toBe(201);
}

async function makeAccount(api: Api, name: string, rules: object[], namespacedRules: object[] = []): Promise<void> {
  const { namespace } = api;
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const refer = (kind: string) => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name } });
  const metadata = { name };
  await make(api, `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata,
  });
  await make(api, `${rbac}/clusterroles`, { apiVersion, kind: 'ClusterRole', metadata, rules });
  await make(api, `${rbac}/clusterrolebindings`, {
    ...{ apiVersion, kind: 'ClusterRoleBinding', metadata, subjects },
    ...refer('ClusterRole'),
  });
  if (namespacedRules.length === 0) return;
  const folder = `${rbac}/namespaces/${namespace}`;
  await make(api, `${folder}/roles`, { apiVersion, kind: 'Role', metadata, rules: namespacedRules });
  await make(api, `${folder}/rolebindings`, {
    ...{ apiVersion, kind: 'RoleBinding', metadata, subjects },
    ...refer('Role'),
  });
}

async function makeNode(api: Api, name: string, address?: string): Promise<void> {
  const addresses = address === undefined ? [] : [{ type: 'InternalIP', address }];
  await make(api, '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { addresses } });
}

/** A token of an account, bound to a node where one is named. */
async function issueToken(api: Api, account: string, node?: string): Promise<string> {
  const path = `/api/v1/namespaces/${api.namespace}/serviceaccounts/${account}/token`;
  const boundObjectRef = node === undefined ? undefined : { apiVersion: 'v1', kind: 'Node', name: node };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef } };
  const { status, json } = await api.request('POST', path, { body });
  expect(status, JSON.stringify(json)).toBe(201);
  return json.status.token as string;
}

async function connect(api: Api) {
  const connection = await openHostConnection({
    ...{ kubeconfig: api.kubeconfig, clock: systemClock, logger, userAgent: 'suite/1.0' },
  });
  const clientOf = (token: string): ResourceClient =>
    createHostResourceClient({
      ...{ connection, registry, clock: systemClock, credentials: 'none' },
      headers: { authorization: `Bearer ${token}` },
    });
  return { connection, clientOf };
}

async function startEmbeddedApi(): Promise<Api> {
  const service = await startService({ domain });
  return { ...service, namespace: 'kube-system', release: 'bailiwick', stop: () => service.stop() };
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
  const api = {
    kubeconfig: cluster.kubeconfig,
    namespace: 'agents',
    release: 'bw',
    request,
    stop: () => cluster.stop(),
  };
  await make(api, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'agents' } });
  // As the chart makes it.
  const bundle = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: nameAgentsBundle(domain) } };
  await make(api, '/api/v1/namespaces/agents/configmaps', bundle);
  return api;
}

/** The serving side of an agent, with a server that shows its certificate. */
async function startAgent(options: {
  readonly client: ResourceClient;
  readonly namespace?: string;
  readonly nodeName: string;
  readonly addresses?: readonly string[];
  readonly certDir: string;
}) {
  const { client, nodeName, addresses = ['127.0.0.1'], certDir, namespace } = options;
  const certificates = await openServingCertificate({
    configuration: { tlsCertFile: undefined, tlsPrivateKeyFile: undefined, serverTlsBootstrap: true },
    ...{ certDir, nodeName, addresses: () => addresses, domain, client, clock: systemClock, logger },
    ...(namespace === undefined
      ? {}
      : { authorities: { namespace, name: nameAgentsBundle(domain) }, everyMillis: 200 }),
    metrics: createMetricsRegistry(),
  });
  const { certificate, privateKey } = certificates.current();
  const server = createServer({ cert: certificate, key: privateKey });
  const end = followTls(server, certificates, makeConstantAuthorities([]));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    certificates,
    fetch: () => fetchServedCertificate({ port, serverName: nodeName, timeoutMillis: 60_000 }),
    check: (bundle: string) => checkServedCertificate({ port, serverName: nodeName, bundle, timeoutMillis: 60_000 }),
    async stop() {
      certificates.close();
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What one suite has at hand. */
interface Bench {
  readonly api: () => Api;
  /** A client with a token of the agents' account on a node. */
  readonly connectAgent: (node?: string) => Promise<ResourceClient>;
  readonly makeFolder: () => Promise<string>;
  readonly readRoots: () => Promise<string>;
  /** Ends after the test. */
  readonly keep: <T extends { stop(): Promise<unknown> }>(one: T) => T;
}

async function listRequests(api: Api, node: string): Promise<Answer['json'][]> {
  const { json } = await api.request('GET', requests);
  const own: Answer['json'][] = [];
  for (const one of json.items)
    if (one.spec.extra?.['authentication.kubernetes.io/node-name']?.[0] === node) own.push(one);
  return own;
}

function describeIssue(bench: Bench): void {
  it('serves what it signed itself until the operator issues a certificate, and keeps that', async () => {
    await makeNode(bench.api(), 'node-a', '10.1.0.1');
    const client = await bench.connectAgent('node-a');
    const certDir = await bench.makeFolder();
    const options = { client, nodeName: 'node-a', addresses: ['10.1.0.1', '127.0.0.1'], certDir };
    const agent = bench.keep(await startAgent(options));
    const first = agent.certificates.current();
    expect(await agent.check(first.certificate)).toBeUndefined();
    const roots = await bench.readRoots();
    await waitUntil('a certificate that leads to the operator', async () => (await agent.check(roots)) === undefined);

    const served = await agent.fetch();
    expect(served.subject).toBe('CN=system:agent:node-a');
    expect(served.subjectAltName).toBe('DNS:node-a, IP Address:10.1.0.1, IP Address:127.0.0.1');
    expect(served.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    const [request] = await listRequests(bench.api(), 'node-a');
    expect(request.status.conditions).toMatchObject([{ type: 'Approved', reason: 'AutoApproved' }]);
    expect(await agent.check(first.certificate)).toContain('unable to verify the first certificate');
    const files = (await readdir(certDir)).toSorted();
    expect(files).toEqual(['agent-server-current.pem', 'agent.crt', 'agent.key']);
    const modes = await Promise.all(files.map(async (file) => (await stat(join(certDir, file))).mode & 0o777));
    expect(modes).toEqual([0o600, 0o644, 0o600]);

    const again = bench.keep(await startAgent(options));
    expect(await again.check(roots)).toBeUndefined();
    expect((await again.fetch()).serialNumber).toBe(served.serialNumber);
    expect(await listRequests(bench.api(), 'node-a')).toHaveLength(1);
  });

  it('is refused the name of another node', async () => {
    await Promise.all([makeNode(bench.api(), 'node-b', '10.1.0.2'), makeNode(bench.api(), 'node-c', '10.1.0.3')]);
    const client = await bench.connectAgent('node-b');
    const certDir = await bench.makeFolder();
    const agent = bench.keep(await startAgent({ client, nodeName: 'node-c', certDir }));
    const findConditions = async () => (await listRequests(bench.api(), 'node-b'))[0]?.status?.conditions;
    await waitUntil('a decision', async () => (await findConditions()) !== undefined);
    const message = `system:serviceaccount:${bench.api().namespace}:${bench.api().release}-agent is on node-b, not on node-c`;
    expect(await findConditions()).toMatchObject([{ type: 'Denied', reason: 'OtherNode', message }]);
    expect(await agent.check(await bench.readRoots())).not.toBeUndefined();
  });

  it('waits for the addresses of a node that has not told them yet', async () => {
    await makeNode(bench.api(), 'node-d');
    const client = await bench.connectAgent('node-d');
    const certDir = await bench.makeFolder();
    const agent = bench.keep(await startAgent({ client, nodeName: 'node-d', addresses: ['10.1.0.4'], certDir }));
    await waitUntil('the request', async () => (await listRequests(bench.api(), 'node-d')).length > 0);
    const patch = { status: { addresses: [{ type: 'InternalIP', address: '10.1.0.4' }] } };
    const { json: node } = await bench.api().request('GET', '/api/v1/nodes/node-d');
    const body = { ...node, ...patch };
    expect((await bench.api().request('PUT', '/api/v1/nodes/node-d/status', { body })).status).toBe(200);
    const roots = await bench.readRoots();
    await waitUntil('the certificate', async () => (await agent.check(roots)) === undefined);
  });

  it('leaves the requests of others to a person, and then signs what is well formed', async () => {
    const api = bench.api();
    const ask = async (commonName: string, usages: string[]) => {
      const { request } = await makeServerRequest({ commonName, subjectNames: ['node-e'] });
      const spec = { request: Buffer.from(request).toString('base64'), signerName: nameServingSigner(domain), usages };
      const token = await issueToken(api, `${api.release}-agent`);
      const body = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { generateName: 'e-' },
        spec,
      };
      const { status, json } = await api.request('POST', requests, { body, token });
      expect(status).toBe(201);
      return json.metadata.name as string;
    };
    const approve = async (name: string) => {
      const { json } = await api.request('GET', `${requests}/${name}`);
      const body = { ...json, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Person' }] } };
      expect((await api.request('PUT', `${requests}/${name}/approval`, { body })).status).toBe(200);
    };
    const read = async (name: string) => (await api.request('GET', `${requests}/${name}`)).json.status;
    const usages = ['digital signature', 'server auth'];
    const [good, bad] = [await ask('system:agent:node-e', usages), await ask('system:admin', usages)];
    // One that is decided after them shows that they were looked at.
    await makeNode(api, 'node-f');
    const agent = bench.keep(
      await startAgent({
        client: await bench.connectAgent('node-f'),
        nodeName: 'node-f',
        certDir: await bench.makeFolder(),
      }),
    );
    const roots = await bench.readRoots();
    await waitUntil('the certificate of another', async () => (await agent.check(roots)) === undefined);
    for (const name of [good, bad]) expect(await read(name)).toEqual({});

    await Promise.all([approve(good), approve(bad)]);
    await waitUntil('the certificate', async () => (await read(good)).certificate !== undefined);
    const pem = Buffer.from((await read(good)).certificate as string, 'base64').toString();
    expect(new X509Certificate(pem).subject).toBe('CN=system:agent:node-e');
    await waitUntil('the failure', async () => (await read(bad)).conditions.length > 1);
    expect(await read(bad)).toMatchObject({
      conditions: [
        { type: 'Approved' },
        { type: 'Failed', reason: 'SignerValidationFailure', message: 'the common name is not system:agent:NODE' },
      ],
    });
    expect((await read(bad)).certificate).toBeUndefined();
  });

  it('asks anew at once when the authority that signed for it was lost', async () => {
    const api = bench.api();
    const { namespace, release } = api;
    await makeNode(api, 'node-g');
    const client = await bench.connectAgent('node-g');
    const certDir = await bench.makeFolder();
    const agent = bench.keep(await startAgent({ client, namespace, nodeName: 'node-g', certDir }));
    const before = await bench.readRoots();
    await waitUntil('the first certificate', async () => (await agent.check(before)) === undefined);
    const secret = `/api/v1/namespaces/${namespace}/secrets/${release}-agents-authority`;
    expect((await api.request('DELETE', secret)).status).toBe(200);
    await waitUntil('another authority', async () => (await api.request('GET', secret)).status === 200);
    const after = await bench.readRoots();
    expect(after).not.toBe(before);
    await waitUntil('a certificate of that', async () => (await agent.check(after)) === undefined, 20_000);
    const bundle = `/api/v1/namespaces/${namespace}/configmaps/${nameAgentsBundle(domain)}`;
    expect((await api.request('GET', bundle)).json.data).toEqual({ 'ca.crt': after });
  });
}

/** The parts that every suite needs, and what ends them. */
function prepareBench(start: () => Promise<Api>): Bench {
  let api: Api;
  let connected: Awaited<ReturnType<typeof connect>>;
  const folders: string[] = [];
  const kept: { stop(): Promise<unknown> }[] = [];
  beforeAll(async () => {
    api = await start();
    await makeAccount(api, `${api.release}-agent`, agentRules, agentReleaseRules);
    connected = await connect(api);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all(kept.splice(0).map((one) => one.stop()));
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
  });
  afterAll(async () => {
    connected?.connection.close();
    await api?.stop();
  });
  return {
    api: () => api,
    connectAgent: async (node) => connected.clientOf(await issueToken(api, `${api.release}-agent`, node)),
    makeFolder: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'agent-certificates-'));
      folders.push(folder);
      return folder;
    },
    keep: (one) => {
      kept.push(one);
      return one;
    },
    async readRoots() {
      const path = `/api/v1/namespaces/${api.namespace}/secrets/${api.release}-agents-authority`;
      const { json } = await api.request('GET', path);
      const entries = Object.entries(json.data as Record<string, string>).filter(([key]) => key.endsWith('.crt'));
      return entries.map(([, data]) => Buffer.from(data, 'base64').toString()).join('');
    },
  };
}

describe('certificates of agents, from the service with a store of its own', () => {
  describeIssue(prepareBench(startEmbeddedApi));
});

describeCluster('certificates of agents, from the operator of a real API server', () => {
  const settings = { authorityValidityMillis: 3_600_000, servingValidityMillis: 15_000, settleMillis: 1_000 };
  const bench = prepareBench(startHostApi);
  let controller: AgentCertificatesController;
  let trust: AgentTrust & { close(): Promise<void> };
  let close: () => void;
  let openTrust: (file: string) => ReturnType<typeof openHostAgentTrust>;

  beforeAll(async () => {
    const api = bench.api();
    const { namespace, release } = api;
    const names = buildReleaseNames(release, namespace);
    await makeAccount(api, names.operator, operatorRules, listReleaseRules(names));
    const { connection: administrator, clientOf } = await connect(api);
    const token = await issueToken(api, names.operator);
    const client = clientOf(token);
    // All that it does it may do as the operator's account.
    const connection = {
      ...{ serverUrl: administrator.serverUrl, close: () => undefined },
      send: (request: Parameters<typeof administrator.send>[0]) =>
        administrator.send({
          ...{ ...request, credentials: 'none' },
          headers: { ...request.headers, authorization: `Bearer ${token}` },
        }),
    };
    close = () => administrator.close();
    const common = { client, clock: systemClock, logger, names, namespace, domain };
    controller = new AgentCertificatesController({
      ...{ ...common, release, settings, metrics: createMetricsRegistry(), cleansUp: false },
    });
    const readSelf = createSelfReader({ client, clock: systemClock });
    openTrust = (file) => openHostAgentTrust({ ...common, connection, file, readSelf });
    trust = await openHostAgentTrust({ ...common, connection, file: undefined, readSelf });
    await controller.start();
  });
  afterAll(async () => {
    await controller?.close();
    await trust?.close();
    close?.();
  });
  beforeEach(() => waitUntil('the authorities', async () => trust.readRoots() !== undefined));

  describeIssue(bench);

  it('knows the operator by tokens that are for one agent and for nobody else', async () => {
    const [token, again, other] = [
      await trust.readToken('node-a'),
      await trust.readToken('node-a'),
      await trust.readToken('node-b'),
    ];
    expect(again).toBe(token);
    expect(other).not.toBe(token);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      aud: [nameAgentAudience(domain, 'node-a')],
      sub: 'system:serviceaccount:agents:bw-operator',
    });
    expect(claims.exp - claims.iat).toBe(600);
    expect((await bench.api().request('GET', '/version', { token: other })).status).toBe(401);
  });

  it('trusts what a file holds besides what it issued', async () => {
    const folder = await bench.makeFolder();
    const file = join(folder, 'more.crt');
    const client = await bench.connectAgent();
    const agent = bench.keep(await startAgent({ client, nodeName: 'node-h', certDir: join(folder, 'pki') }));
    expect(await agent.check(trust.readRoots() ?? '')).not.toBeUndefined();
    await writeFile(file, 'nothing');
    await expect(openTrust(file)).rejects.toThrow(`${file} holds no certificate that can be read`);
    await writeFile(file, agent.certificates.current().certificate);
    const more = await openTrust(file);
    try {
      await waitUntil('both', async () => readCertificates(more.readRoots() ?? '').length === 2);
      expect(await agent.check(more.readRoots() ?? '')).toBeUndefined();
    } finally {
      await more.close();
    }
  });

  it('renews certificates before they end, and takes a new authority without a moment of distrust', async () => {
    // As early as it may: a machine that is busy must not make it late.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const api = bench.api();
    await makeNode(api, 'node-r');
    const client = await bench.connectAgent('node-r');
    const agent = bench.keep(await startAgent({ client, nodeName: 'node-r', certDir: await bench.makeFolder() }));
    const isTrusted = async (): Promise<boolean> => (await agent.check(trust.readRoots() ?? '')) === undefined;
    await waitUntil('the first certificate', isTrusted);
    const first = (await agent.fetch()).serialNumber;
    const [before] = readCertificates(trust.readRoots() ?? '');

    const path = `/api/v1/namespaces/agents/secrets/bw-agents-authority`;
    const { json: secret } = await api.request('GET', path);
    const annotations = { [`${domain}/rotate`]: 'now' };
    const body = { ...secret, metadata: { ...secret.metadata, annotations } };
    expect((await api.request('PUT', path, { body })).status).toBe(200);

    const faults: string[] = [];
    const isRenewed = async (): Promise<boolean> => {
      const fault = await agent.check(trust.readRoots() ?? '');
      if (fault !== undefined) faults.push(fault);
      const [only, ...others] = readCertificates(trust.readRoots() ?? '');
      return others.length === 0 && only !== undefined && only.fingerprint256 !== before?.fingerprint256;
    };
    await waitUntil('the old authority to go', isRenewed, 60_000);
    expect(faults).toEqual([]);
    const served = await agent.fetch();
    expect(served.serialNumber).not.toBe(first);
    expect(isSignedBy(served, readCertificates(trust.readRoots() ?? '')[0] as X509Certificate)).toBe(true);
    const stored = (await api.request('GET', path)).json;
    expect(stored.metadata.annotations).toMatchObject({ [`${domain}/rotated`]: 'now' });
  });
});
