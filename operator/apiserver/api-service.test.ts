import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Authorizer } from './authz/authorizer.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const configMaps = '/api/v1/namespaces/a/configmaps';

describe('the service', () => {
  let service: TestService;

  beforeAll(async () => {
    const authorizer: Authorizer = {
      authorize: async (_user, attributes) => ({
        allowed: attributes.type === 'non-resource' || attributes.resource !== 'secrets',
        reason: '',
      }),
    };
    service = await startTestService({
      authorizer,
      extensions: {
        plugins: [
          {
            name: 'broken',
            handles: ({ name }) => name === 'break',
            validate: async () => {
              throw new Error('broken on purpose');
            },
          },
        ],
      },
    });
  });
  afterAll(() => service.stop());

  it.for<[string, string, number, string]>([
    ['GET', '/nope', 404, '404 page not found\n'],
    ['GET', '/apis/none.example/v1/things', 404, '404 page not found\n'],
    ['GET', '/api/v1/things', 404, 'the server could not find the requested resource'],
    ['GET', '/api/v9/pods', 404, 'the server could not find the requested resource'],
    ['GET', '/apis/policy/v9', 404, 'the server could not find the requested resource'],
    ['GET', '/api/v1/configmaps/a', 404, 'the server could not find the requested resource'],
    ['GET', '/api/v1/namespaces/a/nodes', 404, 'the server could not find the requested resource'],
    ['GET', `${configMaps}/a/status`, 404, 'the server could not find the requested resource'],
    ['GET', `${configMaps}/a/b/c`, 404, 'the server could not find the requested resource'],
    ['PUT', configMaps, 405, 'the server does not allow this method on the requested resource'],
    ['POST', `${configMaps}/a`, 405, 'the server does not allow this method on the requested resource'],
    ['OPTIONS', configMaps, 405, 'the server does not allow this method on the requested resource'],
    ['POST', '/api/v1/configmaps', 405, 'the server does not allow this method on the requested resource'],
    ['GET', '/api/v1/namespaces/a/secrets', 403, 'secrets is forbidden: User \\"tester\\" cannot list resource'],
    ['GET', '/%', 400, '400 Bad Request'],
  ])('%s %s answers %i', async ([method, path, code, text]) => {
    const answer = await service.send(method, path);
    expect(answer.code).toBe(code);
    expect(answer.text).toContain(text);
  });

  it('answers 401 to whom it does not know', async () => {
    const answer = await service.send('GET', configMaps, { headers: { authorization: 'Bearer other' } });
    expect(answer).toMatchObject({ code: 401, body: { reason: 'Unauthorized', message: 'Unauthorized' } });
  });

  it('answers 413 to bodies that are too large, and 415 to unknown ones', async () => {
    const large = await service.send('POST', configMaps, { body: ' '.repeat(4_000_000) });
    expect(large).toMatchObject({ code: 413, body: { reason: 'RequestEntityTooLarge' } });
    const headers = { 'content-type': 'application/cbor' };
    expect((await service.send('POST', configMaps, { body: 'x', headers })).code).toBe(415);
  });

  it('answers a 500 with an id to a fault of its own, and goes on', async () => {
    const answer = await service.send('POST', configMaps, { body: { metadata: { name: 'break' } } });
    expect(answer.code).toBe(500);
    expect(answer.body.message).toContain(answer.headers['audit-id']);
    expect(answer.text).not.toContain('on purpose');
    expect((await service.send('GET', '/readyz')).text).toBe('ok');
  });

  it('answers every request with an id and no caching', async () => {
    const { headers } = await service.send('GET', configMaps);
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers['cache-control']).toBe('no-cache, private');
  });

  it('tells how it is', async () => {
    expect((await service.send('GET', '/livez?verbose')).text).toContain('[+]ping ok');
    expect((await service.send('GET', '/readyz/ping')).text).toBe('ok');
    expect((await service.send('GET', '/readyz/nope')).code).toBe(404);
    expect((await service.send('GET', '/version')).body).toMatchObject({ major: '1', minor: '34' });
    const metrics = (await service.send('GET', '/metrics')).text;
    expect(metrics).toContain('apiserver_request_total{verb="LIST",group="",version="v1",resource="configmaps"');
  });

  it('serves discovery in both forms', async () => {
    expect((await service.send('GET', '/api')).body.versions).toEqual(['v1']);
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const aggregated = await service.send('GET', '/apis', { headers: { accept } });
    expect(aggregated.headers['content-type']).toBe(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    );
    expect(aggregated.body.kind).toBe('APIGroupDiscoveryList');
    expect((await service.send('GET', '/apis/policy/v1')).body.resources[0].name).toBe('poddisruptionbudgets');
  });

  it('serves OpenAPI by hash', async () => {
    const index = await service.send('GET', '/openapi/v3');
    const path = index.body.paths['apis/policy/v1'].serverRelativeURL;
    const document = await service.send('GET', path);
    expect(document.body.openapi).toBe('3.0.0');
    const again = await service.send('GET', path, { headers: { 'if-none-match': String(document.headers['etag']) } });
    expect(again.code).toBe(304);
    expect((await service.send('GET', '/openapi/v3/apis/policy/v1?hash=old')).code).toBe(301);
    expect((await service.send('GET', '/openapi/v2')).body.swagger).toBe('2.0');
  });
});

describe('the end of the service', () => {
  it('ends watches and finishes', async () => {
    const service = await startTestService();
    const watch = await service.watch(`${configMaps}?watch=1`);
    const end = watch.next();
    await service.stop();
    expect(await end).toBeUndefined();
  });
});
