import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRequestInfo } from './request-info.ts';
import { matchesUrlPattern } from './authz/rbac/match-rule.ts';
import { startTestService, type TestService } from './start-test-service.ts';

// What takes time in the square of its length would take minutes here, and its test would not end in time.
const LONG = 400_000;

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

describe('a long text that leads patterns astray', () => {
  it('is read as a path in one pass', () => {
    const info = parseRequestInfo('GET', `/a${'/'.repeat(LONG)}b`, new URLSearchParams());
    expect(info.isResourceRequest).toBe(false);
  });

  it('is matched as the URL of a role in one pass', () => {
    expect(matchesUrlPattern(`${'*'.repeat(LONG)}a*`, '/healthz')).toBe(false);
  });

  it('is refused as a media type', async () => {
    const headers = { 'content-type': `a/b${' '.repeat(60_000)}!` };
    const answer = await service.send('POST', '/api/v1/namespaces', { body: '{}', headers });
    expect(answer.code).toBe(415);
  });

  it('is refused as the name of a signer', async () => {
    const spec = { request: '', signerName: '.'.repeat(LONG), usages: ['client auth'] };
    const body = { metadata: { name: 'long' }, spec };
    const answer = await service.send('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', { body });
    expect(answer.code).toBe(422);
  });

  it('is refused as the field that a variable is read from', async () => {
    const env = [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "['".repeat(LONG / 2) } } }];
    const body = { metadata: { name: 'long' }, spec: { containers: [{ name: 'a', image: 'a', env }] } };
    const answer = await service.send('POST', '/api/v1/namespaces/default/pods', { body });
    expect(answer.code).toBe(422);
  });
});

describe('a body with very many members', () => {
  const path = '/api/v1/namespaces/default/configmaps?dryRun=All';
  const makeOwners = (count: number, uids: number, controller: boolean) =>
    Array.from({ length: count }, (_, index) => {
      const uid = `u${index % uids}`;
      return { apiVersion: 'v1', kind: 'Pod', name: uid, uid, controller };
    });

  it('is told the first causes only when each quotes the whole', async () => {
    const body = { metadata: { name: 'a', ownerReferences: makeOwners(20_000, 20_000, true) } };
    const answer = await service.send('POST', path, { body });
    expect(answer.code).toBe(422);
    expect(answer.text.length).toBeLessThan(16 << 20);
  });

  it('may repeat owners', async () => {
    const body = { metadata: { name: 'a', ownerReferences: makeOwners(30_000, 20_000, false) } };
    const answer = await service.send('POST', path, { body });
    expect(answer.code).toBe(201);
    expect(answer.body.metadata.ownerReferences).toHaveLength(20_000);
    expect(answer.headers['warning']?.length).toBeLessThan(1024);
  });

  it('may repeat keys', async () => {
    const data = Array.from({ length: 200_000 }, (_, index) => `"k${index % 100_000}":"1"`).join(',');
    const answer = await service.send('POST', path, { body: `{"metadata":{"name":"a"},"data":{${data}}}` });
    expect(answer.code).toBe(201);
    expect(Object.keys(answer.body.data)).toHaveLength(100_000);
  });
});

describe('a body that nests very deep where anything may stand', () => {
  const nest = (depth: number) => `${'{"a":'.repeat(depth)}{}${'}'.repeat(depth)}`;
  const makeRevision = (depth: number) => `{"metadata":{"name":"deep"},"revision":1,"data":${nest(depth)}}`;
  const makeManaged = (depth: number) =>
    `{"metadata":{"name":"deep","managedFields":[{"manager":"a","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${nest(depth)}}]}}`;

  it.for([
    ['apis/apps/v1', 'controllerrevisions', makeRevision, 400, 201],
    ['apis/apps/v1', 'controllerrevisions', makeRevision, 5000, 400],
    ['api/v1', 'configmaps', makeManaged, 400, 201],
    ['api/v1', 'configmaps', makeManaged, 5000, 400],
  ] as const)('is kept below %s/%s as long as it can be worked with', async ([root, plural, make, depth, code]) => {
    const path = `/${root}/namespaces/default/${plural}?dryRun=All`;
    const answer = await service.send('POST', path, { body: make(depth) });
    expect(answer.code, answer.text.slice(0, 500)).toBe(code);
    if (code === 400) expect(answer.body.message).toContain('exceeded max depth');
  });

  it.for([
    [400, 201],
    [5000, 400],
  ] as const)('is applied as long as it can be worked with: %i', async ([depth, code]) => {
    const path = '/apis/apps/v1/namespaces/default/controllerrevisions/deep?dryRun=All&fieldManager=a';
    const answer = await service.send('PATCH', path, {
      body: `{"apiVersion":"apps/v1","kind":"ControllerRevision",${makeRevision(depth).slice(1)}`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(answer.code, answer.text.slice(0, 500)).toBe(code);
  });
});
