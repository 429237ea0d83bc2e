import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuditEvent, formatAuditEvent } from '../../../platform/audit/audit-event.ts';
import type { AuditPolicy } from '../../../platform/audit/audit-policy.ts';
import { parseAuditPolicy } from '../../../platform/audit/parse-audit-policy.ts';
import type { AdmissionPlugin } from '../../../admission/admission-plugin.ts';
import { startTestService, type TestRequest, type TestService } from '../start-test-service.ts';
import { AuditMetrics } from './audit-metrics.ts';

function parsePolicy(rules: string): AuditPolicy {
  const parsed = parseAuditPolicy(`apiVersion: audit.k8s.io/v1\nkind: Policy\n${rules}`);
  if ('faults' in parsed) throw new Error(parsed.faults.join());
  return parsed.policy;
}

const whole = parsePolicy('rules: [{ level: RequestResponse }]');

let service: TestService;
let policy = whole;
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
let events: any[] = [];
let wake = (): void => undefined;

const annotating: AdmissionPlugin = {
  name: 'annotating',
  handles: ({ operation }) => operation === 'CREATE',
  validate: async (_attributes, report) => {
    report.annotate('policy/key', 'first');
    report.annotate('policy/key', 'second');
  },
};

beforeAll(async () => {
  service = await startTestService({
    extensions: { plugins: [annotating] },
    authorizer: {
      authorize: async (user, attributes) =>
        attributes.verb === 'deletecollection' || user.username === 'nobody'
          ? { allowed: false, reason: 'not this' }
          : { allowed: true, reason: 'why not' },
    },
    audits: {
      get policy() {
        return policy;
      },
      metrics: new AuditMetrics(new Registry()),
      now: () => Date.now(),
      log: {
        write: (event: AuditEvent) => {
          events.push(JSON.parse(formatAuditEvent(event)));
          wake();
        },
      },
    },
  });
});
afterAll(() => service.stop());
beforeEach(() => {
  policy = whole;
  events = [];
});

/** The first event at a stage, as soon as there is one. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
async function readEvent(stage: string): Promise<any> {
  for (;;) {
    const event = events.find((candidate) => candidate.stage === stage);
    if (event !== undefined) return event;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** Sends a request and returns the event of its end. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
async function record(method: string, path: string, request?: TestRequest): Promise<any> {
  events = [];
  await service.send(method, path, request);
  return readEvent('ResponseComplete');
}

const maps = '/api/v1/namespaces/n/configmaps';

describe('the audit log', () => {
  it('has a request as it came in and as it was answered', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: 'value' } };
    const event = await record('POST', `${maps}?fieldManager=me`, { body, headers: { 'audit-id': 'my-id' } });
    expect(event).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      auditID: 'my-id',
      stage: 'ResponseComplete',
      requestURI: `${maps}?fieldManager=me`,
      verb: 'create',
      user: { username: 'tester', groups: ['system:authenticated'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'tester/1.0',
      objectRef: { resource: 'configmaps', namespace: 'n', name: 'a', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { kind: 'ConfigMap', data: { key: 'value' } },
      responseObject: { kind: 'ConfigMap', metadata: { uid: expect.any(String) } },
      annotations: {
        'authorization.k8s.io/decision': 'allow',
        'authorization.k8s.io/reason': 'why not',
        'policy/key': 'first',
      },
    });
    expect(event.requestObject.metadata.uid).toBeUndefined();
    expect(Date.parse(event.stageTimestamp)).toBeGreaterThanOrEqual(Date.parse(event.requestReceivedTimestamp));
    const [received] = events;
    expect(received).toMatchObject({ stage: 'RequestReceived', auditID: 'my-id', verb: 'create' });
    expect(received).not.toHaveProperty('responseStatus');
    expect(received.stageTimestamp).toBe(received.requestReceivedTimestamp);
  });

  it.for<[string, string, TestRequest, object]>([
    [
      'PATCH',
      `${maps}/a`,
      { body: { data: { more: '1' } }, headers: { 'content-type': 'application/merge-patch+json' } },
      { verb: 'patch', requestObject: { data: { more: '1' } }, responseObject: { data: { more: '1' } } },
    ],
    [
      'GET',
      maps,
      {},
      { verb: 'list', responseObject: { kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }] } },
    ],
    [
      'GET',
      `${maps}/a`,
      { headers: { accept: 'application/yaml' } },
      { verb: 'get', responseObject: { kind: 'ConfigMap' } },
    ],
    [
      'GET',
      `${maps}/none`,
      {},
      { responseStatus: { status: 'Failure', reason: 'NotFound', message: 'configmaps "none" not found', code: 404 } },
    ],
    [
      'DELETE',
      `${maps}/a`,
      { body: { propagationPolicy: 'Background' } },
      {
        verb: 'delete',
        requestObject: { kind: 'DeleteOptions', propagationPolicy: 'Background' },
        responseStatus: { status: 'Success', details: { name: 'a' }, code: 200 },
      },
    ],
    [
      'DELETE',
      maps,
      {},
      {
        verb: 'deletecollection',
        responseStatus: { reason: 'Forbidden', code: 403 },
        annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': 'not this' },
      },
    ],
    [
      'GET',
      maps,
      { headers: { 'impersonate-user': 'jane', 'impersonate-group': 'ops' } },
      { user: { username: 'tester' }, impersonatedUser: { username: 'jane', groups: ['ops', 'system:authenticated'] } },
    ],
    ['GET', '/version?access_token=hidden', {}, { requestURI: '/version?access_token=REDACTED', verb: 'get' }],
    [
      'GET',
      '/healthz',
      { headers: { 'x-forwarded-for': '192.0.2.1, nonsense, 2001:db8::1', 'x-real-ip': '192.0.2.7' } },
      { sourceIPs: ['192.0.2.1', '2001:db8::1', '192.0.2.7', '127.0.0.1'] },
    ],
    [
      'GET',
      '/version',
      { headers: { 'user-agent': 'a'.repeat(1025) } },
      { userAgent: `${'a'.repeat(1024)}...TRUNCATED` },
    ],
  ])('has %s %s', async ([method, path, request, expected]) => {
    expect(await record(method, path, request)).toMatchObject(expected);
  });

  it('records no bodies below the level that asks for them', async () => {
    policy = parsePolicy('rules: [{ level: Request, resources: [{ resources: [configmaps] }] }, { level: Metadata }]');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2' } };
    await record('POST', '/api/v1/namespaces/n/secrets', { body: secret });
    await record('GET', '/api/v1/namespaces/n/secrets/s');
    await record('PATCH', '/api/v1/namespaces/n/secrets/s', {
      body: { stringData: { password: 'hunter2' } },
      headers: { 'content-type': 'application/merge-patch+json', authorization: 'Bearer test' },
    });
    expect(JSON.stringify(events)).not.toMatch(/hunter2|aHVudGVyMg|Bearer/);
    const event = await record('POST', maps, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { key: 'v' } },
    });
    expect(event.requestObject.data).toEqual({ key: 'v' });
    expect(event).not.toHaveProperty('responseObject');
  });

  it('leaves out what the policy says: requests, stages, records of managers', async () => {
    policy = parsePolicy(
      'omitStages: [RequestReceived]\nomitManagedFields: true\nrules: [{ level: None, nonResourceURLs: ["*"] }, { level: RequestResponse }]',
    );
    await service.send('GET', '/version');
    const created = await record('POST', `${maps}?fieldManager=me`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } },
    });
    expect(created.responseObject.metadata).not.toHaveProperty('managedFields');
    const listed = await record('GET', maps);
    expect(JSON.stringify(listed.responseObject)).not.toContain('managedFields');
    const table = await record('GET', `${maps}?includeObject=Object`, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    expect(table.responseObject.kind).toBe('Table');
    expect(JSON.stringify(table.responseObject)).not.toContain('managedFields');
    expect(events.map(({ stage }) => stage)).toEqual(['ResponseComplete']);
  });

  it('leaves out bodies that are very large, and says so', async () => {
    const data = { key: 'x'.repeat(1 << 20) };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large' }, data };
    const created = await record('POST', maps, { body });
    expect(created).toMatchObject({
      responseStatus: { code: 201 },
      annotations: { 'audit.k8s.io/truncated': 'true', 'policy/key': 'first' },
    });
    expect(created).not.toHaveProperty('requestObject');
    expect(await record('GET', maps)).not.toHaveProperty('responseObject');
    await service.send('DELETE', `${maps}/large`);
  });

  it('has those whose credentials are refused, without them', async () => {
    await service.send('GET', maps, { headers: { authorization: 'Bearer wrong' } });
    expect(await readEvent('ResponseStarted')).toMatchObject({
      user: {},
      responseStatus: { status: 'Failure', reason: 'Unauthorized', code: 401 },
    });
    expect(JSON.stringify(events)).not.toContain('wrong');
    expect(events).toHaveLength(1);
  });

  it('has a watch when it begins and when it ends', async () => {
    const watch = await service.watch(`${maps}?watch=1&resourceVersion=0`);
    expect(await readEvent('ResponseStarted')).toMatchObject({ verb: 'watch', responseStatus: { code: 200 } });
    expect(events.some(({ stage }) => stage === 'ResponseComplete')).toBe(false);
    watch.close();
    expect(await readEvent('ResponseComplete')).toMatchObject({ verb: 'watch', responseStatus: { code: 200 } });
  });
});
