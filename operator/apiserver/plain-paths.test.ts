import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('paths that name no resource', () => {
  it.for<[string, string, number]>([
    ['POST', '/apis', 200],
    ['PUT', '/apis/apps', 200],
    ['DELETE', '/apis/apps/', 200],
    ['PUT', '/healthz', 200],
    ['POST', '/', 200],
    ['PUT', '/openapi/v2', 200],
    ['POST', '/version', 405],
    ['HEAD', '/version', 405],
    ['PUT', '/api', 405],
    ['HEAD', '/api/v1', 405],
    ['DELETE', '/apis/apps/v1', 405],
    ['POST', '/api/foo', 404],
    ['POST', '/apis/foo', 404],
    ['POST', '/foo', 404],
    ['GET', '/version/foo', 404],
    ['GET', '/readyz/', 404],
    ['GET', '/openapi/v2/', 404],
    ['GET', '/openapi/v3/foo', 404],
    ['GET', '//api/v1', 404],
    ['GET', '/api/v1/watch', 500],
    ['GET', '/api/v1/bindings', 404],
    ['GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews', 405],
    ['GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews/a', 404],
  ])('%s %s answers %i', async ([method, path, code]) => {
    expect((await service.send(method, path)).code).toBe(code);
  });

  it.for<[string, string, number]>([
    ['/version', 'text/html', 406],
    ['/version', 'application/*', 406],
    ['/version', '*/*', 200],
    ['/openapi/v2', 'application/yaml', 406],
    ['/openapi/v2', 'application/*', 200],
    ['/openapi/v3', 'text/html', 200],
    ['/apis', 'application/*', 200],
    ['/api', 'application/*', 406],
    ['/', 'text/html', 200],
  ])('%s for whom takes %s answers %i', async ([path, accept, code]) => {
    expect((await service.send('GET', path, { headers: { accept } })).code).toBe(code);
  });
});

describe('the time that a client gives a request', () => {
  it.for(['1h', '0', '-1s', ''])('may be %s', async (timeout) => {
    expect((await service.send('GET', `/version?timeout=${timeout}`)).code).toBe(200);
  });

  it.for([
    ['x', 'time: invalid duration "x"'],
    ['5', 'time: missing unit in duration "5"'],
  ] as const)('may not be %s', async ([timeout, fault]) => {
    const { code, body } = await service.send('GET', `/api/v1/nodes?timeout=${timeout}`);
    expect({ code, message: body.message }).toEqual({
      code: 400,
      message: `invalid timeout specified in the request URL - ${fault}`,
    });
  });
});

describe('impersonation without a user', () => {
  it('is answered in plain text that is safe in browsers', async () => {
    const answer = await service.send('GET', '/api/v1/nodes?a=<b>', { headers: { 'impersonate-group': 'x' } });
    expect(answer.code).toBe(500);
    expect(answer.text).toBe(
      'Internal Server Error: "/api/v1/nodes?a=&lt;b&gt;": requested [{Group  x    }] without impersonating a user\n',
    );
  });
});
