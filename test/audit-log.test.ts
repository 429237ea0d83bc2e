import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { type Judge, startOwnJudge, startRealJudge } from './policies/start-judges.ts';

interface AuditedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Stage to look at; its end unless given. */
  readonly stage?: string;
}

const maps = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = { key: 'value' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
const secrets = '/api/v1/namespaces/default/secrets';

/** What is recorded of what: bodies of ConfigMaps, no bodies of Secrets, nothing of a user. */
const rules = [
  { level: 'None', users: ['nobody'] },
  { level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }] },
  { level: 'Request', verbs: ['patch'] },
  { level: 'RequestResponse', omitManagedFields: true },
];

const requests: readonly (readonly [name: string, request: AuditedRequest])[] = [
  ['a creation', { method: 'POST', path: `${maps}?fieldManager=me`, body: map('a') }],
  ['a creation as it comes in', { method: 'POST', path: maps, body: map('b'), stage: 'RequestReceived' }],
  ['one that exists', { method: 'POST', path: maps, body: map('a') }],
  ['one that is invalid', { method: 'POST', path: maps, body: map('Not_A_Name') }],
  ['a secret', { method: 'POST', path: secrets, body: { metadata: { name: 's' }, stringData: { password: 'x' } } }],
  ['a reading', { method: 'GET', path: `${maps}/a` }],
  ['a reading of nothing', { method: 'GET', path: `${maps}/none` }],
  ['a list', { method: 'GET', path: `${maps}?fieldSelector=metadata.name%3Da` }],
  [
    'a patch',
    {
      method: 'PATCH',
      path: `${maps}/a`,
      body: { data: { more: '1' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    },
  ],
  ['a replacement', { method: 'PUT', path: `${maps}/a`, body: map('a', { key: 'new' }) }],
  [
    'a request for somebody',
    {
      method: 'GET',
      path: `${maps}/a`,
      headers: { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' },
    },
  ],
  ['a request that is refused', { method: 'GET', path: `${maps}/a`, headers: { 'impersonate-user': 'jane' } }],
  ['a deletion', { method: 'DELETE', path: `${maps}/a` }],
  ['a deletion with options', { method: 'DELETE', path: `${maps}/b`, body: { propagationPolicy: 'Background' } }],
  ['a path', { method: 'GET', path: '/version' }],
  ['a path that nobody serves', { method: 'GET', path: '/nothing' }],
];

const volatileFields = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'stageTimestamp',
  'requestReceivedTimestamp',
  'auditID',
]);
const ownAnnotations = /^authorization\.k8s\.io\//;

/** What two servers have in common: without times and ids, fields that are null, and annotations of plugins that only one has. */
function normalize(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => normalize(item));
  // The real one names its own inner version of DeleteOptions, which nobody can ask for.
  if (value === 'meta.k8s.io/__internal') return 'meta.k8s.io/v1';
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([name, member]) =>
      member !== null && !volatileFields.has(name) && (key !== 'annotations' || ownAnnotations.test(name)),
  );
  return Object.fromEntries(entries.map(([name, member]) => [name, normalize(member, name)]));
}

async function record(judge: Judge, { method, path, body, headers, stage }: AuditedRequest): Promise<unknown> {
  const auditId = randomUUID();
  await judge.request(method, path, { body, headers: { ...headers, 'user-agent': 'test', 'audit-id': auditId } });
  return normalize(await judge.trail.readEvent(auditId, stage));
}

describeCluster('the audit log, beside that of the real API server', () => {
  let own: Judge;
  let real: Judge;

  beforeAll(async () => {
    own = await startOwnJudge(rules);
    real = await startRealJudge(rules);
  });
  afterAll(async () => {
    await own?.stop();
    await real?.stop();
  });

  it.for(requests)('has %s alike', async ([, request]) => {
    expect(await record(own, request)).toEqual(await record(real, request));
  });

  it('has those whose credentials are refused alike', async () => {
    const request = { method: 'GET', path: maps, headers: { authorization: 'Bearer wrong' }, stage: 'ResponseStarted' };
    expect(await record(own, request)).toEqual(await record(real, request));
  });
});
