import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentRun, startAgentProgram } from './agent/start-agent-program.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { describeRuntime } from './runtime/describe-runtime.ts';
import { startRuntime } from './runtime/start-runtime.ts';
import type { TestRuntime } from './runtime/test-runtime.ts';

describeRuntime('the node agent with a container runtime', () => {
  let runtime: TestRuntime;
  let agent: AgentRun;
  beforeAll(async () => {
    runtime = await startRuntime();
    await runtime.runPod({ namespace: 'shop', name: 'web', containers: [{ name: 'front' }, { name: 'back' }] });
    await runtime.runPod({ namespace: 'bank', name: 'db', containers: [{ name: 'main', memoryMiB: 100 }] });
    agent = await startAgentProgram({
      rootDir: join(runtime.folder, 'agent'),
      flags: ['--container-runtime-endpoint', runtime.endpoint],
    });
  }, 300_000);
  afterAll(async () => {
    await agent?.end();
    await runtime?.stop();
  }, 60_000);

  it('lists the pods of the runtime [Resources and their fields/Node agent local files and sockets#8]', async () => {
    const { status, json, headers } = await agent.request('GET', '/pods');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(json).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
    const names = json.items.map((pod: { metadata: { namespace: string; name: string } }) => pod.metadata);
    expect(names).toMatchObject([
      { namespace: 'bank', name: 'db' },
      { namespace: 'shop', name: 'web' },
    ]);
    expect(json.items[1]).toMatchObject({
      spec: { nodeName: 'node-1', containers: [{ name: 'back' }, { name: 'front' }] },
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'back',
            ready: true,
            restartCount: 0,
            containerID: expect.stringMatching(/^containerd:\/\/[0-9a-f]+$/),
          },
          { name: 'front', state: { running: { startedAt: expect.stringMatching(/Z$/) } } },
        ],
      },
    });
  });

  it.for([
    ['POST', '/checkpoint/shop/none/front', 404, 'pod does not exist'],
    ['POST', '/checkpoint/none/web/front', 404, 'pod does not exist'],
    ['POST', '/checkpoint/shop/none/front?timeout=x', 404, 'pod does not exist'],
    ['POST', '/checkpoint/shop/web/none', 404, 'container none does not exist'],
    ['POST', '/checkpoint/shop/web/front?timeout=x', 404, 'cannot parse value of timeout parameter'],
    ['POST', '/checkpoint/shop/web/front?timeout=1&timeout=', 404, 'cannot parse value of timeout parameter'],
    ['POST', '/checkpoint/shop/web/front?timeout=9223372036854775808', 404, 'cannot parse value of timeout parameter'],
    [
      ...(['POST', '/checkpoint/shop/web/front?timeout=-1', 500] as const),
      'checkpointing of shop/web/front failed (CheckpointContainer requires the timeout value to be > 0)',
    ],
  ] as const)('answers %s %s by %i %s, as the kubelet [Errors#3]', async ([method, path, code, body]) => {
    const { status, text, headers } = await agent.request(method, path);
    expect([status, text, headers['content-type']]).toEqual([code, body, 'text/plain; charset=utf-8']);
  });

  it('refuses who takes no JSON, as the kubelet', async () => {
    const { status, text } = await agent.request('POST', '/checkpoint/shop/web/front', {
      headers: { accept: 'text/html' },
    });
    expect([status, text]).toEqual([406, '406: Not Acceptable\n\nAvailable representations: application/json']);
  });

  it('makes a checkpoint, and gives out, pins and removes its archive', async () => {
    const made = await agent.request('POST', '/checkpoint/shop/web/front?timeout=60');
    expect([made.status, made.headers['content-type']]).toEqual([200, 'application/json']);
    const [path] = made.json.items as string[];
    expect(Object.keys(made.json)).toEqual(['items']);
    expect(path).toMatch(new RegExp(`^${agent.rootDir}/checkpoints/checkpoint-web_shop-front-.*Z\\.tar$`));
    const content = await readFile(path ?? '');

    const { json: list } = await agent.request('GET', '/checkpoints?namespace=shop');
    expect(list.continue).toBeUndefined();
    const [record] = list.items;
    expect(record).toMatchObject({ namespace: 'shop', podName: 'web', containerName: 'front', archive: path });
    const at = `/checkpoints/shop/${record.name}`;
    expect((await agent.request('GET', at)).json).toEqual(record);

    const whole = await agent.open('GET', `${at}/archive`);
    expect([whole.statusCode, whole.headers['content-type'], whole.headers['accept-ranges']]).toEqual([
      ...[200, 'application/x-tar', 'bytes'],
    ]);
    expect(whole.headers['content-length']).toBe(String(content.length));
    const hash = createHash('sha256');
    for await (const chunk of whole) hash.update(chunk as Buffer);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'));

    const part = await agent.request('GET', `${at}/archive`, { headers: { range: 'bytes=257-261' } });
    expect([part.status, part.text, part.headers['content-range']]).toEqual([
      ...[206, 'ustar', `bytes 257-261/${content.length}`],
    ]);
    const beyond = await agent.request('GET', `${at}/archive`, { headers: { range: `bytes=${content.length}-` } });
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, `bytes */${content.length}`]);

    expect((await agent.request('PUT', `${at}/pin`)).json).toEqual({ ...record, pinned: true });
    expect((await agent.request('DELETE', `${at}/pin`)).json).toEqual({ ...record, pinned: false });
    expect((await agent.request('DELETE', at)).json.name).toBe(record.name);
    for (const [method, gone] of [
      ['GET', at],
      ['DELETE', at],
      ['GET', `${at}/archive`],
      ['PUT', `${at}/pin`],
    ] as const) {
      const { status, json } = await agent.request(method, gone);
      expect(status).toBe(404);
      expect(json).toMatchObject({
        ...{ kind: 'Status', reason: 'NotFound', code: 404 },
        message: `checkpoints.node.bailiwick.dev "${record.name}" not found`,
      });
    }
    await expect(stat(path ?? '')).rejects.toThrow('ENOENT');
  }, 120_000);

  it('tells how far it is, then what came of it', async () => {
    const response = await agent.open('POST', '/checkpoint/bank/db/main?progress=true');
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    const lines: { type: string; phase?: string; bytes?: number; checkpoint?: { name: string } }[] = [];
    for await (const line of createInterface({ input: response })) lines.push(JSON.parse(line) as (typeof lines)[0]);
    const last = lines.pop();
    expect(last).toMatchObject({ type: 'Done', checkpoint: { namespace: 'bank', podName: 'db' } });
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatchObject({ type: 'Progress', bytes: expect.any(Number) });
    expect(lines[0]).toMatchObject({ phase: 'Dumping' });
    await agent.request('DELETE', `/checkpoints/bank/${last?.checkpoint?.name}`);
  }, 120_000);

  it('answers what is refused before a stream begins in plain text, and later in the stream', async () => {
    const early = await agent.request('POST', '/checkpoint/shop/none/front?progress=true');
    expect([early.status, early.text]).toEqual([404, 'pod does not exist']);
    const late = await agent.request('POST', '/checkpoint/bank/db/main?progress=true&timeout=1');
    const lines = late.text.trim().split('\n');
    const last = JSON.parse(lines.at(-1) ?? '') as { type: string };
    // A quick machine may be done within the second.
    if (last.type === 'Error') {
      expect(last).toMatchObject({ status: { kind: 'Status', code: 500, reason: 'InternalError' } });
    } else {
      expect(last.type).toBe('Done');
    }
  }, 120_000);

  it('gives a checkpoint up when the caller goes, and makes the next', async () => {
    const response = await agent.open('POST', '/checkpoint/bank/db/main?progress=true');
    response.destroy();
    await waitUntil('the request to be counted as given up', async () => {
      const { text } = await agent.request('GET', '/metrics');
      return text.includes('bailiwick_agent_http_requests_total{method="POST",path="checkpoint",code="0"} 1');
    });
    const { status, json } = await agent.request('POST', '/checkpoint/bank/db/main');
    expect(status).toBe(200);
    expect((await stat(json.items[0] as string)).mode & 0o777).toBe(0o600);
  }, 120_000);

  it('gives out lists page by page', async () => {
    for (const container of ['front', 'back', 'front']) {
      expect((await agent.request('POST', `/checkpoint/shop/web/${container}`)).status).toBe(200);
    }
    const all = (await agent.request('GET', '/checkpoints')).json.items as { namespace: string; name: string }[];
    const found: unknown[] = [];
    let key = '';
    for (let page = 0; page < 10; page++) {
      const { json } = await agent.request('GET', `/checkpoints?limit=2&continue=${encodeURIComponent(key)}`);
      expect(json.items.length).toBeLessThanOrEqual(2);
      found.push(...json.items);
      key = json.continue as string;
      if (key === undefined) break;
    }
    expect(found).toEqual(all);
    expect(all.length).toBeGreaterThan(3);
    const after = await agent.request('GET', '/checkpoints?continue=shop%2Fa');
    expect(after.json.items).toEqual(all.filter(({ namespace }) => namespace === 'shop'));
    for (const query of ['limit=x', 'limit=-1', 'continue=x']) {
      const { status, json } = await agent.request('GET', `/checkpoints?${query}`);
      expect([status, json.reason]).toEqual([400, 'BadRequest']);
    }
    const { status, json } = await agent.request('PUT', '/checkpoints');
    expect([status, json.reason]).toEqual([405, 'MethodNotAllowed']);
  }, 120_000);

  it('answers a checkpoint that is under way when it is asked to end', async () => {
    const other = await startAgentProgram({
      rootDir: join(runtime.folder, 'other'),
      flags: ['--container-runtime-endpoint', runtime.endpoint],
    });
    const response = await other.open('POST', '/checkpoint/bank/db/main?progress=true');
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    await lines.next();
    const exited = once(other.process, 'exit');
    other.process.kill('SIGTERM');
    let last = '';
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) last = next.value;
    expect(JSON.parse(last)).toMatchObject({ type: 'Done' });
    // A second signal would end it at once.
    expect(await exited).toEqual([0, null]);
    await other.removeFolder();
  }, 120_000);
});
