import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StatusError } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import type { HostConnection } from '../kube/host-connection.ts';
import { HostUnreachableError } from '../kube/host-unreachable-error.ts';
import { connectHost } from '../kube/open-host-connection.ts';
import { createSilentLogger } from '../process/logger.ts';
import { ManualClock } from '../process/manual-clock.ts';
import { createHostResourceClient } from './host-resource-client.ts';
import type { ResourceClient } from './resource-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers in turn; the last one stays. */
let answers: Answer[];
/** `METHOD path body` of what was asked. */
let asked: string[];
let server: Server;
let connection: HostConnection;
let clock: ManualClock;
let client: ResourceClient;

beforeEach(async () => {
  answers = [];
  asked = [];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push(`${request.method} ${request.url} ${body}`.trim());
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      answer?.(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  clock = new ManualClock();
  connection = connectHost(
    {
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      read: async () => ({ tls: {}, headers: {} }),
      invalidate: () => undefined,
    },
    { clock, logger: createSilentLogger(), userAgent: 'x' },
  );
  client = createHostResourceClient({ connection, registry: buildKindRegistry('example.com'), clock });
});
afterEach(async () => {
  connection.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const pods = { group: '', version: 'v1', resource: 'pods' };
const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
const pod = { resource: pods, namespace: 'n', name: 'p' };

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const plain =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
const failure = (code: number, reason: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason,
  code,
});

async function caught(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
}

/** Lets what is under way get on until the server has been asked so often, turning the clock as told. */
async function waitForRequests(count: number, stepMillis = 0): Promise<void> {
  while (asked.length < count) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(stepMillis);
  }
}

describe('requests to a host', () => {
  it.for<[string, (client: ResourceClient) => Promise<unknown>, string]>([
    [
      'an object',
      (c) => c.get({ resource: pods, namespace: 'a/b', name: 'c d' }),
      'GET /api/v1/namespaces/a%2Fb/pods/c%20d',
    ],
    [
      'a renamed one',
      (c) => c.get({ ...pod, resource: quotas }, { resourceVersion: '0' }),
      'GET /apis/core.example.com/v1/namespaces/n/resourcequotas/p?resourceVersion=0',
    ],
    ['a subresource', (c) => c.get(pod, undefined, 'status'), 'GET /api/v1/namespaces/n/pods/p/status'],
    [
      'a list',
      (c) => c.list({ resource: pods }, { labelSelector: 'a=b,c', limit: 5, continue: 'x' }),
      'GET /api/v1/pods?labelSelector=a%3Db%2Cc&limit=5&continue=x',
    ],
    [
      'a cluster-scoped one',
      (c) => c.get({ resource: { ...pods, resource: 'nodes' }, name: 'p' }),
      'GET /api/v1/nodes/p',
    ],
    [
      'a dry patch',
      (c) =>
        c.patch(pod, 'application/apply-patch+yaml', { a: 1n }, { dryRun: ['All'], force: true, fieldManager: 'm' }),
      'PATCH /api/v1/namespaces/n/pods/p?dryRun=All&force=true&fieldManager=m {"a":1}',
    ],
    [
      'a deletion',
      (c) => c.delete(pod, { gracePeriodSeconds: 0, preconditions: { uid: 'u' } }),
      'DELETE /api/v1/namespaces/n/pods/p {"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":"u"}}',
    ],
    [
      'a deletion of many',
      (c) => c.deleteCollection({ resource: pods, namespace: 'n' }, { fieldSelector: 'a=b' }, { dryRun: ['All'] }),
      'DELETE /api/v1/namespaces/n/pods?fieldSelector=a%3Db {"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}',
    ],
    [
      'a renamed object that is created',
      (c) => c.create({ resource: quotas, namespace: 'n' }, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: {} }),
      'POST /apis/core.example.com/v1/namespaces/n/resourcequotas {"apiVersion":"core.example.com/v1","kind":"ResourceQuota","metadata":{}}',
    ],
  ])('ask for %s', async ([, call, expected]) => {
    answers = [json(200, { kind: 'X', apiVersion: 'v1', metadata: {}, items: [] })];
    await call(client);
    expect(asked).toEqual([expected]);
  });
});

describe('a client for metadata alone', () => {
  it('asks for it where it reads, and for whole objects where it writes', async () => {
    const accepted: (string | undefined)[] = [];
    answers = [
      (request, response) => {
        accepted.push(request.headers.accept?.split(';').slice(0, 2).join(';'));
        response.end('{"kind":"X","apiVersion":"v1","metadata":{},"items":[]}\n');
      },
    ];
    const narrow = createHostResourceClient({
      connection,
      registry: buildKindRegistry('example.com'),
      clock,
      metadataOnly: true,
    });
    await narrow.get(pod);
    await narrow.list({ resource: pods });
    for await (const event of narrow.watch({ resource: pods })) expect(event).toBeDefined();
    await narrow.patch(pod, 'application/merge-patch+json', {});
    await narrow.patch({ ...pod, resource: quotas }, 'application/strategic-merge-patch+json', {});
    expect(accepted).toEqual([
      'application/json;as=PartialObjectMetadata',
      'application/json;as=PartialObjectMetadataList',
      'application/json;as=PartialObjectMetadata',
      ...['application/json', 'application/json', 'application/json'],
    ]);
  });
});

describe('answers of a host', () => {
  it('give items of a list their type', async () => {
    answers = [
      json(200, {
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '7' },
        items: [{ metadata: { name: 'p' } }],
      }),
    ];
    expect(await client.list({ resource: pods })).toEqual({
      metadata: { resourceVersion: '7' },
      items: [{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } }],
    });
    answers = [json(200, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: null })];
    expect((await client.list({ resource: pods })).items).toEqual([]);
  });

  it('say by a Status whom a deletion removed', async () => {
    answers = [json(200, { ...failure(200, ''), status: 'Success', details: { name: 'p', uid: 'u' } })];
    expect(await client.delete({ ...pod, resource: quotas })).toEqual({
      kind: 'ResourceQuota',
      apiVersion: 'v1',
      metadata: { name: 'p', namespace: 'n', uid: 'u' },
    });
  });

  it('are refusals where they are no success, Status or not', async () => {
    answers = [json(409, failure(409, 'Conflict'))];
    expect(await caught(client.get(pod))).toMatchObject({ status: failure(409, 'Conflict') });
    for (const [answer, status] of [
      [plain(404, '404 page not found\n'), { code: 404, reason: 'NotFound', message: '404 page not found' }],
      [plain(502, ''), { code: 502, message: 'the host answered 502' }],
      [plain(418, 'x'.repeat(5_000)), { code: 418, message: 'x'.repeat(2_048) }],
      [json(403, { message: 'no Status' }), { code: 403, reason: 'Forbidden' }],
    ] as const) {
      answers = [answer];
      const error = await caught(client.get(pod));
      expect(error).toBeInstanceOf(StatusError);
      expect(error).toMatchObject({ status });
    }
  });

  it('are none when they break off, are no JSON, or take too long', async () => {
    answers = [
      (_request, response) =>
        response.writeHead(200, { 'content-length': '100' }).write('{"a":', () => response.destroy()),
    ];
    expect(await caught(client.get(pod))).toBeInstanceOf(HostUnreachableError);
    answers = [plain(200, 'surprise')];
    expect(await caught(client.get(pod))).toBeInstanceOf(SyntaxError);
    answers = [(_request, response) => response.writeHead(200).write('{')];
    const slow = caught(client.get(pod));
    await waitForRequests(3);
    clock.advance(60_000);
    expect(await slow).toBeInstanceOf(HostUnreachableError);
    expect(clock.pendingCount).toBe(0);
  });
});

describe('patience', () => {
  it.for([
    ['429', json(429, failure(429, 'TooManyRequests'), { 'retry-after': '2' })],
    ['503', plain(503, 'starting', { 'retry-after': '2' })],
  ] as const)('is had with %s, for as long as it is asked for', async ([, refusal]) => {
    answers = [refusal, refusal, json(201, { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } })];
    const object: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
    const created = client.create({ resource: pods, namespace: 'n' }, object);
    const startMillis = clock.now();
    await waitForRequests(3, 100);
    expect((await created).metadata.name).toBe('p');
    expect(clock.now() - startMillis).toBeGreaterThanOrEqual(4_000);
    expect(new Set(asked).size).toBe(1);
  });

  it('ends after five repetitions, and before the time of the request is up', async () => {
    answers = [json(429, failure(429, 'TooManyRequests'), { 'retry-after': '1' })];
    const many = caught(client.get(pod));
    await waitForRequests(6, 100);
    expect(await many).toMatchObject({ status: { code: 429 } });
    expect(asked.length).toBe(6);
    answers = [json(429, failure(429, 'TooManyRequests'), { 'retry-after': '61' })];
    expect(await caught(client.get(pod))).toMatchObject({ status: { code: 429 } });
    expect(asked.length).toBe(7);
  });

  it.for([
    ['500 with a time', json(500, failure(500, 'InternalError'), { 'retry-after': '1' })],
    ['429 without one', json(429, failure(429, 'TooManyRequests'))],
  ] as const)('is not had with %s', async ([, refusal]) => {
    answers = [refusal];
    expect(await caught(client.get(pod))).toBeInstanceOf(StatusError);
    expect(asked.length).toBe(1);
  });
});

describe('watches of a host', () => {
  const read = async (options = {}): Promise<string[]> => {
    const seen: string[] = [];
    for await (const { type, object } of client.watch({ resource: quotas, namespace: 'n' }, options)) {
      seen.push(`${type} ${object.apiVersion} ${object.metadata.name}`);
    }
    return seen;
  };
  const frame = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
  const added = frame('ADDED', { apiVersion: 'core.example.com/v1', kind: 'ResourceQuota', metadata: { name: 'a' } });

  it('end with the connection, and limit their time themselves', async () => {
    answers = [(_request, response) => response.write(added, () => response.destroy())];
    expect(await read()).toEqual(['ADDED v1 a']);
    const query = new URL(`http://x${asked[0]?.split(' ')[1]}`).searchParams;
    expect(query.get('watch')).toBe('true');
    expect(Number(query.get('timeoutSeconds'))).toBeGreaterThanOrEqual(300);
    expect(Number(query.get('timeoutSeconds'))).toBeLessThanOrEqual(600);
  });

  it('end some time after the host should have ended them', async () => {
    answers = [(_request, response) => response.write(added)];
    const watch = client.watch({ resource: quotas }, { timeoutSeconds: 10 })[Symbol.asyncIterator]();
    expect((await watch.next()).value).toMatchObject({ type: 'ADDED' });
    let isDone = false;
    const last = watch.next().finally(() => (isDone = true));
    clock.advance(39_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    clock.advance(1_000);
    expect((await last).done).toBe(true);
    expect(clock.pendingCount).toBe(0);
  });

  it('throw what an error says, under our names', async () => {
    const status = { ...failure(410, 'Expired'), message: 'resourcequotas.core.example.com "a" is gone' };
    answers = [(_request, response) => response.end(added + frame('ERROR', status))];
    expect(await caught(read())).toMatchObject({
      status: { code: 410, reason: 'Expired', message: 'resourcequotas "a" is gone' },
    });
    answers = [(_request, response) => response.end(frame('ERROR', { some: 'thing' }))];
    expect(await caught(read())).toBeInstanceOf(Error);
  });

  it('throw when they do not begin', async () => {
    answers = [json(403, failure(403, 'Forbidden'))];
    expect(await caught(read())).toMatchObject({ status: { code: 403 } });
    answers = [(_request, response) => response.destroy()];
    expect(await caught(read())).toBeInstanceOf(HostUnreachableError);
  });
});
