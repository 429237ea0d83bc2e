import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import {
  agentsRoot,
  makeRecord,
  recordName,
  sendJson,
  startAgentsService,
  testDomain,
  type AgentsService,
  type ServeAgent,
} from './start-agents-service.ts';

let rig: AgentsService;

beforeEach(async () => {
  rig = await startAgentsService();
});

afterEach(() => rig.stop());

describe('checkpoints', () => {
  /** An agent that holds these records, as real ones list them. */
  function hold(records: JsonObject[], asked: string[] = []): ServeAgent {
    const keyOf = (record: JsonObject): string => `${String(record['namespace'])}/${String(record['name'])}`;
    return (request, response) => {
      const url = new URL(request.url ?? '', 'https://x');
      asked.push(url.pathname);
      const key = decodeURIComponent(url.pathname.replace('/checkpoints/', '').replace(/\/(pin|archive)$/, ''));
      const record = records.find((known) => keyOf(known) === key);
      if (url.pathname === '/checkpoints') {
        const namespace = url.searchParams.get('namespace');
        const after = url.searchParams.get('continue') ?? '';
        const left = records
          .filter((known) => (namespace === null || known['namespace'] === namespace) && keyOf(known) > after)
          .toSorted((l, r) => (keyOf(l) < keyOf(r) ? -1 : 1));
        const items = left.slice(0, Number(url.searchParams.get('limit')));
        const last = items.at(-1);
        const more = items.length < left.length && last !== undefined;
        return sendJson(response, 200, { items, ...(more ? { continue: keyOf(last) } : {}) });
      }
      if (record === undefined) return sendJson(response, 404, {});
      if (url.pathname.endsWith('/pin')) record['pinned'] = request.method === 'PUT';
      else if (request.method === 'DELETE') records.splice(records.indexOf(record), 1);
      return sendJson(response, 200, record);
    };
  }
  const many = (count: number, namespace = 'n', prefix = 'c'): JsonObject[] =>
    Array.from({ length: count }, (_, index) =>
      makeRecord({ name: `${prefix}${String(index).padStart(4, '0')}`, namespace }),
    );

  it('are listed from all nodes, in one order, page by page', async () => {
    await rig.startAgent('a', hold([...many(30), ...many(3, 'm')]));
    await rig.startAgent('b', hold(many(25, 'n', 'b')));
    const whole = await rig.send('GET', `${agentsRoot}/checkpoints`);
    expect(whole.body).toMatchObject({ kind: 'CheckpointList', apiVersion: `node.${testDomain}/v1`, metadata: {} });
    const names = (items: KubeObject[]) => items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const all = names(whole.body.items);
    expect(all).toEqual(all.toSorted());
    expect(all.length).toBe(58);
    const paged: string[] = [];
    let token = '';
    do {
      const page = await rig.send('GET', `${agentsRoot}/checkpoints?limit=7&continue=${token}`);
      expect(page.body.items.length).toBeLessThanOrEqual(7);
      paged.push(...names(page.body.items));
      token = page.body.metadata.continue ?? '';
    } while (token !== '');
    expect(paged).toEqual(all);
    const own = await rig.send('GET', `${agentsRoot}/namespaces/m/checkpoints`);
    expect(own.body.items.length).toBe(3);
  });

  it('are selected by fields, and one node alone is asked when it is named', async () => {
    const asked: string[] = [];
    await rig.startAgent('a', hold(many(2)));
    await rig.startAgent(
      'b',
      hold([...many(2, 'n', 'b'), makeRecord({ name: 'x', podName: 'other', pinned: true })], asked),
    );
    const select = async (query: string) => (await rig.send('GET', `${agentsRoot}/checkpoints?${query}`)).body;
    expect((await select('fieldSelector=spec.podName%3Dother')).items.length).toBe(1);
    expect((await select('fieldSelector=spec.pinned%3Dfalse')).items.length).toBe(4);
    expect((await select('fieldSelector=spec.podName!%3Dother&limit=3')).items.length).toBe(3);
    expect((await select('labelSelector=a%3Db')).items).toEqual([]);
    expect((await select('fieldSelector=metadata.name%3Dx')).items.length).toBe(1);
    asked.length = 0;
    expect((await select('fieldSelector=spec.nodeName%3Da')).items.length).toBe(2);
    expect(asked).toEqual([]);
    expect((await select('fieldSelector=spec.podUID%3Da')).message).toBe('field label not supported: spec.podUID');
  });

  it('are shown as a table', async () => {
    await rig.startAgent('a', hold([makeRecord({ sizeBytes: 20 << 20 })]));
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const table = await rig.send('GET', `${agentsRoot}/namespaces/n/checkpoints`, { headers });
    const columns = table.body.columnDefinitions.map((column: { name: string }) => column.name);
    expect(columns).toEqual(['Name', 'Pod', 'Container', 'Node', 'Size', 'Pinned', 'Age']);
    expect(table.body.rows[0].cells.slice(0, 6)).toEqual([recordName, 'web', 'app', 'a', '20Mi', false]);
  });

  it('are listed without the nodes that do not answer, which are named', async () => {
    await rig.startAgent('a', hold(many(2)));
    await rig.startAgent('b', (_, response) => sendJson(response, 200, { items: [makeRecord({ sizeBytes: -1 })] }));
    await rig.startAgent('c', (_, response) => sendJson(response, 200, { items: many(2).toReversed() }));
    await rig.startAgent('d', (_, response) => sendJson(response, 200, { items: [], continue: 'n/c' }));
    await rig.startAgent('e', (_, response) => response.writeHead(200).end(`[${'1,'.repeat(3 << 20)}1]`));
    await rig.startAgent('f', (_, response) => sendJson(response, 200, { items: many(501) }));
    await rig.announce('g', 9, 'system', 0);
    const answer = await rig.send('GET', `${agentsRoot}/namespaces/n/checkpoints`);
    expect(answer.body.items.length).toBe(2);
    expect(answer.headers['warning']).toBe(
      '299 - "the list is not whole: these nodes did not answer: b, c, d, e, f, g"',
    );
  });

  it('cannot be listed when no agent answers that lives', async () => {
    await rig.startAgent('a', (_, response) => response.writeHead(500).end());
    await rig.announce('b', 9, 'system', 0);
    const answer = await rig.send('GET', `${agentsRoot}/checkpoints`);
    expect(answer.code).toBe(503);
    expect(answer.body.message).toBe('no checkpoints can be listed, since these nodes did not answer: a, b');
  });

  it('are listed, as none, when the agents of all nodes are gone, so that namespaces can go', async () => {
    await rig.announce('a', 9, 'system', 0);
    for (const query of ['', '?fieldSelector=spec.nodeName%3Da', '?fieldSelector=spec.nodeName%3Db']) {
      const answer = await rig.send('GET', `${agentsRoot}/namespaces/n/checkpoints${query}`);
      expect([answer.code, answer.body.items]).toEqual([200, []]);
      const node = query.endsWith('b') ? 'b' : 'a';
      expect(answer.headers['warning']).toBe(`299 - "the list is not whole: these nodes did not answer: ${node}"`);
    }
  });

  it('are none where there are no agents', async () => {
    expect((await rig.send('GET', `${agentsRoot}/checkpoints`)).body.items).toEqual([]);
  });

  it('are found by name on whichever node, once they are looked for there', async () => {
    const asked: string[] = [];
    await rig.startAgent('a', hold([], asked));
    await rig.startAgent('b', hold([makeRecord()]));
    const path = `${agentsRoot}/namespaces/n/checkpoints/${recordName}`;
    expect((await rig.send('GET', path)).body.spec.nodeName).toBe('b');
    expect(asked.length).toBe(1);
    expect((await rig.send('GET', path)).code).toBe(200);
    expect(asked.length).toBe(1);
    const absent = await rig.send('GET', `${agentsRoot}/namespaces/n/checkpoints/other`);
    expect(absent.body).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: `checkpoints.node.${testDomain} "other" not found`,
    });
  });

  it('are not those of an earlier namespace of the same name', async () => {
    const records = [
      makeRecord({ name: 'old', pinned: true }),
      makeRecord({ name: 'new', startTime: new Date().toISOString() }),
      makeRecord({ namespace: 'gone', name: 'left' }),
    ];
    await rig.startAgent('a', hold(records));
    const made = await rig.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'n' } } });
    expect(made.code).toBe(201);
    const listNames = async (path: string): Promise<string[]> =>
      (await rig.send('GET', agentsRoot + path)).body.items.map(({ metadata }: KubeObject) => metadata.name);
    expect(await listNames('/namespaces/n/checkpoints')).toEqual(['new']);
    expect(await listNames('/namespaces/n/checkpoints?limit=1')).toEqual(['new']);
    expect(await listNames('/checkpoints')).toEqual(['left', 'new']);
    const path = `${agentsRoot}/namespaces/n/checkpoints`;
    expect((await rig.send('GET', `${path}/new`)).code).toBe(200);
    for (const [method, own] of [
      ['GET', 'old'],
      ['GET', 'old/archive'],
      ['DELETE', 'old'],
    ] as const) {
      expect((await rig.send(method, `${path}/${own}`)).code).toBe(404);
    }
    expect(records.length).toBe(3);
  });

  it('are looked for nowhere by what cannot be a name', async () => {
    const asked: string[] = [];
    await rig.startAgent('a', hold([makeRecord()], asked));
    for (const path of ['n/checkpoints/%2e%2e', 'n/checkpoints/a%00b', `n/checkpoints/${'a'.repeat(300)}`]) {
      for (const suffix of ['', '/archive']) {
        expect((await rig.send('GET', `${agentsRoot}/namespaces/${path}${suffix}`)).code).toBe(404);
      }
    }
    expect((await rig.send('GET', `${agentsRoot}/namespaces/%2e%2e/checkpoints/${recordName}`)).code).toBe(404);
    expect(asked).toEqual([]);
  });

  it('are not said to be absent while a node does not answer', async () => {
    await rig.startAgent('a', hold([]));
    await rig.announce('b', 9, 'system', 0);
    const answer = await rig.send('GET', `${agentsRoot}/namespaces/n/checkpoints/other`);
    expect(answer.body).toMatchObject({
      code: 503,
      message: `checkpoints.node.${testDomain} "other" was not found, but these nodes did not answer: b`,
    });
  });

  it('are nobody else’s to pass for: of two nodes that say they hold one, none is believed', async () => {
    await rig.startAgent('a', hold([makeRecord()]));
    await rig.startAgent('b', hold([makeRecord()]));
    const answer = await rig.send('GET', `${agentsRoot}/namespaces/n/checkpoints/${recordName}`);
    expect(answer.body).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(answer.body.message).toContain('the nodes a, b each say that they hold it');
  });

  it('are nobody else’s to pass for while the node that holds one does not answer', async () => {
    const path = `${agentsRoot}/namespaces/n/checkpoints/${recordName}`;
    const [forged, records] = [[] as JsonObject[], [makeRecord()]];
    let isDown = false;
    await rig.startAgent('a', hold(forged));
    await rig.startAgent('b', (request, response) =>
      isDown ? response.writeHead(500).end() : hold(records)(request, response),
    );
    expect((await rig.send('GET', path)).body.spec.nodeName).toBe('b');
    forged.push(makeRecord());
    isDown = true;
    for (const [method, suffix] of [
      ['GET', ''],
      ['GET', '/archive'],
      ['DELETE', ''],
    ] as const) {
      const answer = await rig.send(method, path + suffix);
      expect(answer.body).toMatchObject({
        code: 503,
        message: 'the agent of node "b" cannot be asked: it answered with the status 500',
      });
    }
    isDown = false;
    expect((await rig.send('GET', path)).body.spec.nodeName).toBe('b');
    expect((await rig.send('DELETE', path)).code).toBe(200);
    expect([forged.length, records.length]).toEqual([1, 0]);
  });

  it('are listed without waiting for an agent again that hung just now, which is named all the same', async () => {
    await rig.startAgent('a', hold(many(1)));
    let asked = 0;
    await rig.startAgent('b', () => void (asked += 1));
    const { timeout } = AbortSignal;
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((millis) => timeout.call(AbortSignal, millis / 4));
    try {
      for (const path of ['checkpoints', 'checkpoints', 'namespaces/n/checkpoints']) {
        const answer = await rig.send('GET', `${agentsRoot}/${path}`);
        expect([answer.code, answer.body.items.length]).toEqual([200, 1]);
        expect(answer.headers['warning']).toBe('299 - "the list is not whole: these nodes did not answer: b"');
      }
    } finally {
      vi.restoreAllMocks();
    }
    expect(asked).toBe(1);
  });

  it('are listed and found from an agent that has just moved, as with an update', async () => {
    const old = await rig.startAgent('a', hold(many(2)));
    expect((await rig.send('GET', `${agentsRoot}/checkpoints`)).body.items.length).toBe(2);
    await old.stop();
    const moved = await rig.addAgent(hold(many(3)), ['a']);
    await rig.move('a', moved.port);
    for (const path of ['checkpoints', 'namespaces/n/checkpoints']) {
      const answer = await rig.send('GET', `${agentsRoot}/${path}`);
      expect([answer.code, answer.body.items?.length, answer.headers['warning']]).toEqual([200, 3, undefined]);
    }
  });

  it('are found on an agent that has just moved', async () => {
    const path = `${agentsRoot}/namespaces/n/checkpoints/${recordName}`;
    const old = await rig.startAgent('a', hold([makeRecord()]));
    expect((await rig.send('GET', path)).code).toBe(200);
    await old.stop();
    const moved = await rig.addAgent(hold([makeRecord()]), ['a']);
    await rig.move('a', moved.port);
    for (let i = 0; i < 2; i += 1) expect((await rig.send('GET', path)).code).toBe(200);
    expect((await rig.send('DELETE', path)).code).toBe(200);
  });

  it('are not remembered where one node says that it holds them while another is silent', async () => {
    const path = `${agentsRoot}/namespaces/n/checkpoints/${recordName}`;
    let isDown = true;
    await rig.startAgent('a', hold([makeRecord()]));
    await rig.startAgent('b', (request, response) =>
      isDown ? response.writeHead(500).end() : hold([makeRecord()])(request, response),
    );
    expect((await rig.send('GET', path)).body.spec.nodeName).toBe('a');
    isDown = false;
    expect((await rig.send('GET', path)).code).toBe(409);
  });

  it.for<[type: string, body: unknown]>([
    ['application/merge-patch+json', { spec: { pinned: true } }],
    ['application/strategic-merge-patch+json', { spec: { pinned: true } }],
    ['application/json-patch+json', [{ op: 'add', path: '/spec/pinned', value: true }]],
  ])('are pinned by a patch of %s', async ([type, body]) => {
    const records = [makeRecord()];
    await rig.startAgent('a', hold(records));
    const path = `${agentsRoot}/namespaces/n/checkpoints/${recordName}`;
    const patch = { headers: { 'content-type': type }, body };
    const rehearsed = await rig.send('PATCH', `${path}?dryRun=All`, patch);
    expect([rehearsed.body.spec.pinned, records[0]?.['pinned']]).toEqual([true, false]);
    const answer = await rig.send('PATCH', path, patch);
    expect([answer.code, answer.body.spec.pinned, records[0]?.['pinned']]).toEqual([200, true, true]);
    const { body: live } = await rig.send('GET', path);
    const replaced = await rig.send('PUT', path, { body: { ...live, spec: { ...live.spec, pinned: false } } });
    expect([replaced.code, replaced.body.spec.pinned, records[0]?.['pinned']]).toEqual([200, undefined, false]);
  });

  it('are changed in nothing else', async () => {
    await rig.startAgent('a', hold([makeRecord()]));
    const path = `${agentsRoot}/namespaces/n/checkpoints/${recordName}`;
    const headers = { 'content-type': 'application/merge-patch+json' };
    const node = await rig.send('PATCH', path, { headers, body: { spec: { nodeName: 'b' } } });
    expect(node.body).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(node.body.message).toBe(
      `Checkpoint.node.${testDomain} "${recordName}" is invalid: spec.nodeName: Invalid value: "b": field is immutable`,
    );
    const labels = await rig.send('PATCH', path, { headers, body: { metadata: { labels: { a: 'b' } } } });
    expect(labels.code).toBe(422);
    const status = await rig.send('PATCH', path, { headers, body: { status: { archive: '/etc/shadow' } } });
    expect(status.body.status.archive).toBe('/c/checkpoint.tar');
    const uid = await rig.send('PATCH', path, { headers, body: { metadata: { uid: 'x' } } });
    expect(uid.code).toBe(409);
    const applied = await rig.send('PATCH', `${path}?fieldManager=m`, {
      ...{ headers: { 'content-type': 'application/apply-patch+yaml' }, body: {} },
    });
    expect(applied.code).toBe(415);
    expect((await rig.send('GET', `${agentsRoot}/checkpoints?watch=true`)).code).toBe(405);
    expect((await rig.send('POST', `${agentsRoot}/namespaces/n/checkpoints`, { body: {} })).code).toBe(405);
    expect((await rig.send('DELETE', `${agentsRoot}/namespaces/n/checkpoints`)).code).toBe(405);
  });

  it('are deleted with their archives, if they are what the client means', async () => {
    const records = [makeRecord()];
    await rig.startAgent('a', hold(records));
    const path = `${agentsRoot}/namespaces/n/checkpoints/${recordName}`;
    const other = await rig.send('DELETE', path, { body: { preconditions: { uid: 'x' } } });
    expect([other.code, records.length]).toEqual([409, 1]);
    const rehearsed = await rig.send('DELETE', `${path}?dryRun=All`);
    expect([rehearsed.code, records.length]).toEqual([200, 1]);
    const answer = await rig.send('DELETE', path);
    expect(answer.body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: recordName, kind: 'checkpoints' },
    });
    expect(records).toEqual([]);
    expect((await rig.send('DELETE', path)).code).toBe(404);
  });

  it('go with their namespace, but for those of nodes that are gone', { timeout: 120_000 }, async () => {
    const records = [...many(300), ...many(2, 'm')];
    await rig.startAgent('a', hold(records));
    await rig.announce('b', 9, 'system', 0);
    await rig.removeAll('n');
    expect(records.map(({ namespace }) => namespace)).toEqual(['m', 'm']);
  });

  it('hold their namespace while a node does not let go of them', async () => {
    await rig.startAgent('a', (request, response) =>
      request.method === 'DELETE' ? response.writeHead(500).end() : hold(many(1))(request, response),
    );
    await expect(rig.removeAll('n')).rejects.toThrow('checkpoints remain on nodes that did not answer: a');
  });

  it('are waited for no more when the service ends', async () => {
    const asked = Promise.withResolvers<void>();
    await rig.startAgent('a', () => asked.resolve());
    const removed = expect(rig.removeAll('n')).rejects.toThrow('checkpoints remain on nodes that did not answer: a');
    await asked.promise;
    const beganMillis = performance.now();
    rig.endRemovals();
    await removed;
    await expect(rig.removeAll('n')).rejects.toThrow('checkpoints remain on nodes that did not answer: a');
    expect(performance.now() - beganMillis).toBeLessThan(5_000);
  });
});
