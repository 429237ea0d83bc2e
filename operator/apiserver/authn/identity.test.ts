import { request as sendRequest } from 'node:https';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NamespaceLifecycle } from '../../../admission/namespace-lifecycle.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { systemClock } from '../../../platform/process/clock.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import { createMetricsRegistry } from '../../../platform/process/metrics.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { openSqliteStore } from '../../../platform/store/sqlite-store.ts';
import { makeCertificate } from '../../../platform/certificates/make-certificate.ts';
import type { KeyedCertificate } from '../../../platform/certificates/make-certificate.ts';
import { preparePki, prepareServiceAccountKey } from '../../bootstrap/pki/prepare-pki.ts';
import type { Pki } from '../../bootstrap/pki/prepare-pki.ts';
import { prepareBootstrapObjects } from '../../bootstrap/prepare-bootstrap-objects.ts';
import { RbacAuthorizer } from '../authz/rbac/rbac-authorizer.ts';
import { RbacIndex } from '../authz/rbac/rbac-index.ts';
import { createAccessReviewHandlers } from '../authz/reviews/access-review-handlers.ts';
import { buildApiService } from '../build-api-service.ts';
import { EmbeddedResources } from '../pipeline/embedded-resources.ts';
import { RequestAuthenticator } from './request-authenticator.ts';
import { createIdentityReviewHandlers } from './reviews/identity-review-handlers.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { parseTokenFile, StaticTokenAuthenticator } from './static-tokens.ts';
import { createTokenObjects } from './token-binding.ts';
import { createTokenRequestHandler } from './token-request-handler.ts';

const issuer = 'https://issuer.example';
const clock = systemClock;

let pki: Pki;
let port: number;
let client: ResourceClient;
const cleanups: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'identity-'));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const store = await openSqliteStore({ file: join(directory, 'store.db') });
  cleanups.push(() => store.close());
  pki = await preparePki({ directory: join(directory, 'pki'), subjectNames: ['127.0.0.1'], nowMillis: clock.now() });
  const resources = new EmbeddedResources({
    store,
    registry: buildKindRegistry('bailiwick.dev'),
    now: () => clock.now(),
  });
  client = resources.clientFor({ username: 'system:test', groups: ['system:masters'] });
  const tokens = new ServiceAccountTokens({
    privateKey: await prepareServiceAccountKey(join(directory, 'pki')),
    issuer,
    apiAudiences: [issuer],
    clock,
    objects: createTokenObjects(client),
  });
  const users = parseTokenFile('anntoken,ann,u1,devs\n');
  const tokenAuthenticators = [new StaticTokenAuthenticator({ users, apiAudiences: [issuer] }), tokens];
  const index = new RbacIndex(store);
  const authorizer = new RbacAuthorizer(index);
  resources.install({
    plugins: [new NamespaceLifecycle(client)],
    handlers: [
      ...createIdentityReviewHandlers({ tokenAuthenticators, clock }),
      ...createAccessReviewHandlers({ authorizer, index }),
      createTokenRequestHandler({ tokens, clock }),
    ],
  });
  await prepareBootstrapObjects({ client, domain: 'bailiwick.dev' });
  await client.create(
    { resource: { group: '', version: 'v1', resource: 'serviceaccounts' }, namespace: 'default' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
  );
  const service = buildApiService({
    resources,
    authenticator: new RequestAuthenticator({ tokenAuthenticators }),
    authorizer,
    tls: { ...pki.serving, clientAuthority: pki.authority },
    logger: createSilentLogger(),
    metrics: createMetricsRegistry(),
    port: 0,
  });
  cleanups.push(() => index.close());
  cleanups.push(() => service.close());
  port = await service.listen();
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

interface Answer {
  readonly code: number;
  readonly body: Record<string, unknown> & { status?: Record<string, unknown>; message?: string };
}

/** Sends one request on a connection of its own; a `body` is posted. */
async function send(
  path: string,
  options: { token?: string; certificate?: KeyedCertificate; headers?: Record<string, string>; body?: object } = {},
): Promise<Answer> {
  const { token, certificate, headers, body } = options;
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        ca: pki.authority,
        agent: false,
        ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.privateKey }),
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            code: response.statusCode ?? 0,
            body: (text.startsWith('{') ? JSON.parse(text) : {}) as Answer['body'],
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const unauthorized = { kind: 'Status', status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 };

describe('without a valid identity', () => {
  it.for([
    '/api/v1/pods',
    '/api',
    '/version',
    '/metrics',
    '/openapi/v2',
    '/nothing',
    '/apis/policy/v1/poddisruptionbudgets',
  ])('%s answers 401', async (path) => {
    expect(await send(path)).toMatchObject({ code: 401, body: unauthorized });
    expect(await send(path, { token: 'wrong' })).toMatchObject({ code: 401, body: unauthorized });
  });

  it.for(['/healthz', '/livez', '/readyz'])('%s answers 200, but not to wrong credentials', async (path) => {
    expect((await send(path)).code).toBe(200);
    expect((await send(path, { token: 'wrong' })).code).toBe(401);
  });

  it('a write answers 401', async () => {
    expect((await send('/api/v1/namespaces', { body: {} })).code).toBe(401);
  });
});

describe('a client certificate', () => {
  const period = { notBeforeMillis: Date.now() - 86_400_000, notAfterMillis: Date.now() + 86_400_000 };

  it('of the installation is its administrator', async () => {
    const { code, body } = await send(whoAmI, { certificate: pki.administrator, body: {} });
    expect(code).toBe(201);
    expect(body.status).toMatchObject({
      userInfo: { username: 'bailiwick:administrator', groups: ['system:masters', 'system:authenticated'] },
    });
  });

  it.for<[string, () => Promise<KeyedCertificate>]>([
    [
      'of another authority of the same name',
      async () =>
        makeCertificate(
          { commonName: 'eve', organizations: ['system:masters'], purpose: 'client', ...period },
          await makeCertificate({ commonName: 'bailiwick-ca', purpose: 'authority', ...period }),
        ),
    ],
    [
      'signed by itself',
      () => makeCertificate({ commonName: 'eve', organizations: ['system:masters'], purpose: 'client', ...period }),
    ],
    ['for serving', async () => pki.serving],
  ])('%s is nobody’s', async ([, make]) => {
    expect((await send('/api/v1/pods', { certificate: await make() })).code).toBe(401);
  });
});

describe('tokens', () => {
  async function requestToken(spec: object): Promise<Answer> {
    return send('/api/v1/namespaces/default/serviceaccounts/robot/token', {
      certificate: pki.administrator,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
    });
  }

  it('of the token file are their users', async () => {
    const { body } = await send(whoAmI, { token: 'anntoken', body: {} });
    expect(body.status).toEqual({ userInfo: { username: 'ann', uid: 'u1', groups: ['devs', 'system:authenticated'] } });
  });

  it('of a service account are issued, work, and end with it', async () => {
    const { code, body } = await requestToken({});
    expect(code).toBe(201);
    expect(body['spec']).toMatchObject({ audiences: [issuer], expirationSeconds: 3_600 });
    const token = String(body.status?.['token']);
    expect((await send(whoAmI, { token, body: {} })).body.status).toMatchObject({
      userInfo: { username: 'system:serviceaccount:default:robot' },
    });
    expect(await send('/api/v1/namespaces/default/pods', { token })).toMatchObject({
      code: 403,
      body: {
        message:
          'pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods" in API group "" in the namespace "default"',
      },
    });
    const resource = { group: '', version: 'v1', resource: 'serviceaccounts' };
    const reference = { resource, namespace: 'default', name: 'robot' };
    await client.delete(reference);
    expect((await send('/api/v1/namespaces/default/pods', { token })).code).toBe(401);
    const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
    await client.create({ resource, namespace: 'default' }, account);
    expect((await send('/api/v1/namespaces/default/pods', { token })).code).toBe(401);
  });

  it.for<[object, number, string]>([
    [
      { expirationSeconds: 5 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
    ],
    [
      { expirationSeconds: 2 ** 33 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
    ],
    [
      { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } },
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [{ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'x' } }, 404, 'secrets "x" not found'],
  ])('are refused for %j', async ([spec, code, message]) => {
    expect(await requestToken(spec)).toMatchObject({ code, body: { message } });
  });

  it('are reviewed', async () => {
    const review = async (spec: object): Promise<Answer> =>
      send('/apis/authentication.k8s.io/v1/tokenreviews', { certificate: pki.administrator, body: { spec } });
    expect((await review({ token: 'anntoken' })).body.status).toEqual({
      authenticated: true,
      user: { username: 'ann', uid: 'u1', groups: ['devs', 'system:authenticated'] },
      audiences: [issuer],
    });
    expect((await review({ token: 'wrong' })).body.status).toEqual({ user: {}, error: 'invalid bearer token' });
    expect((await review({ token: 'anntoken', audiences: ['x'] })).body.status).toMatchObject({ user: {} });
    expect(await review({})).toMatchObject({
      code: 400,
      body: { message: 'token is required for TokenReview in authentication' },
    });
  });
});

describe('impersonation', () => {
  it('acts as somebody else, for those who may', async () => {
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'ops' };
    const { body } = await send(whoAmI, { certificate: pki.administrator, headers, body: {} });
    expect(body.status).toEqual({ userInfo: { username: 'bob', groups: ['ops', 'system:authenticated'] } });
    expect(await send('/api/v1/pods', { certificate: pki.administrator, headers })).toMatchObject({ code: 403 });
    expect(await send('/api/v1/pods', { token: 'anntoken', headers })).toMatchObject({
      code: 403,
      body: {
        message:
          'users "bob" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
      },
    });
  });
});

describe('rights', () => {
  it('hold for the next request after a binding is written, and end with it', async () => {
    const resource = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'rolebindings' };
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'ann' },
      roleRef: { apiGroup: resource.group, kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: resource.group, kind: 'User', name: 'ann' }],
    };
    const canI = async (): Promise<unknown> => {
      const resourceAttributes = { verb: 'list', resource: 'pods', namespace: 'default' };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      return (await send(path, { token: 'anntoken', body: { spec: { resourceAttributes } } })).body.status?.['allowed'];
    };
    const list = async (): Promise<number> =>
      (await send('/api/v1/namespaces/default/pods', { token: 'anntoken' })).code;
    expect([await canI(), await list()]).toEqual([false, 403]);
    await client.create({ resource, namespace: 'default' }, binding);
    expect([await canI(), await list()]).toEqual([true, 200]);
    await client.delete({ resource, namespace: 'default', name: 'ann' });
    expect([await canI(), await list()]).toEqual([false, 403]);
  });
});
