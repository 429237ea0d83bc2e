import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createInterface } from 'node:readline';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentRun, runAgentToEnd, startAgentProgram } from './agent/start-agent-program.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { describeRuntime } from './runtime/describe-runtime.ts';
import { startRuntime } from './runtime/start-runtime.ts';
import type { TestRuntime } from './runtime/test-runtime.ts';

const head = 'apiVersion: agent.config.bailiwick.dev/v1beta1\nkind: AgentConfiguration\n';

describe('the node agent without a runtime or an API', () => {
  let agent: AgentRun;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agent-program-'));
    await mkdir(join(folder, 'd'));
    await writeFile(
      join(folder, 'agent.yaml'),
      `${head}maxPods: 5\nnodeLeaseDurationSeconds: 20\nstaticPodURLHeader: {Authorization: [secret]}\ncontainerRuntimeEndpoint: unix://${folder}/none.sock`,
    );
    await writeFile(join(folder, 'd/10.conf'), `${head}nodeLeaseDurationSeconds: 30\nruntimeRequestTimeout: 9s`);
    agent = await startAgentProgram({
      flags: [
        ...['--config', join(folder, 'agent.yaml'), '--config-dir', join(folder, 'd')],
        ...['--runtime-request-timeout', '7s', '--feature-gates', 'ContainerCheckpoint=true'],
      ],
    });
  }, 60_000);
  afterAll(async () => {
    await agent.end();
    await rm(folder, { recursive: true, force: true });
  });

  it('says that it stands alone, and what has no effect', () => {
    expect(agent.readLog()).toContain('runs without an API: client certificates alone are believed');
    expect(agent.readLog()).toContain(
      '"fields":["staticPodURLHeader"],"msg":"fields of the configuration have no effect yet"',
    );
  });

  it('keeps what it has below its root directory, its certificate in pki [Resources and their fields/Node agent local files and sockets#1]', async () => {
    expect((await stat(join(agent.rootDir, 'pki'))).isDirectory()).toBe(true);
    expect((await stat(join(agent.rootDir, 'checkpoints'))).mode & 0o777).toBe(0o700);
  });

  it('shows the configuration that file, drop-ins and flags come to, without secrets [Resources and their fields/Node agent local files and sockets#2]', async () => {
    const { status, json, headers } = await agent.request('GET', '/configz');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(json.agentconfig).toMatchObject({
      ...{ kind: 'AgentConfiguration', apiVersion: 'agent.config.bailiwick.dev/v1beta1' },
      ...{ maxPods: 5, nodeLeaseDurationSeconds: 30, runtimeRequestTimeout: '7s', port: 0 },
      featureGates: { ContainerCheckpoint: true },
      staticPodURLHeader: { Authorization: ['<masked>'] },
      authentication: { webhook: { cacheTTL: '2m0s' } },
    });
  });

  it.for([
    ['POST', '/checkpoint/default/p/c'],
    ['GET', '/checkpoints'],
    ['GET', '/checkpoints/default/a/archive'],
    ['PUT', '/checkpoints/default/a/pin'],
    ['DELETE', '/checkpoints/default/a'],
    ['GET', '/pods'],
    ['GET', '/configz'],
    ['GET', '/status'],
    ['GET', '/metrics'],
    ['GET', '/healthz'],
    ['GET', '/checkpoint/nothing/here'],
  ] as const)('answers %s %s by 401 to nobody, in plain text', async ([method, path]) => {
    const { status, text, headers } = await agent.request(method, path, { user: undefined });
    expect([status, text, headers['content-type']]).toEqual([401, 'Unauthorized', 'text/plain; charset=utf-8']);
  });

  // As the kubelet of 1.34 answers.
  it.for([
    ['GET', '/', 404, '404 page not found\n'],
    ['GET', '/nothing', 404, '404 page not found\n'],
    ['POST', '/checkpoint/default/p', 404, '404: Page Not Found'],
    ['GET', '/checkpoint/default/p/c', 405, '405: Method Not Allowed'],
    ['POST', '/pods', 405, '405: Method Not Allowed'],
    ['GET', '/pods/x', 404, '404: Page Not Found'],
    ['GET', '/healthz/none', 404, '404 page not found\n'],
    ['GET', '/%zz', 400, '400 Bad Request'],
  ] as const)('answers %s %s by %i', async ([method, path, code, body]) => {
    const { status, text } = await agent.request(method, path);
    expect([status, text]).toEqual([code, body]);
  });

  it('is healthy though its runtime is away, and tells of both', async () => {
    expect((await agent.request('GET', '/healthz')).text).toBe('ok');
    expect((await agent.request('GET', '/healthz?verbose')).text).toContain('[+]ping ok');
    const { status, text } = await agent.request('GET', '/pods');
    expect(status).toBe(500);
    expect(text).toContain('rpc error: code = Unavailable desc = ');
    const checkpoint = await agent.request('POST', '/checkpoint/default/p/c');
    expect(checkpoint.status).toBe(500);
    expect(checkpoint.text).toContain('checkpointing of default/p/c failed (rpc error: code = Unavailable desc = ');
  });

  it('serves metrics of its requests', async () => {
    await agent.request('GET', '/configz');
    const { text, headers } = await agent.request('GET', '/metrics');
    expect(headers['content-type']).toContain('text/plain; version=0.0.4');
    expect(text).toMatch(/bailiwick_agent_http_requests_total\{method="GET",path="configz",code="200"\} [1-9]/);
    expect(text).toContain('bailiwick_agent_http_inflight_requests{path="metrics"} 1');
  });

  it('shows its node', async () => {
    const { status, json } = await agent.request('GET', '/status');
    expect(status).toBe(200);
    expect(json).toMatchObject({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'node-1' } });
    expect(json.status.capacity.pods).toBe('5');
  });

  it('ends a connection whose request has a body, which it does not read', async () => {
    const { status, headers } = await agent.request('PUT', '/configz', { body: 'x'.repeat(10_000) });
    expect([status, headers.connection]).toEqual([200, 'close']);
  });

  it('refuses headers that are too large, and goes on', async () => {
    const { status } = await agent.request('GET', '/configz', { headers: { 'x-large': 'x'.repeat(100_000) } });
    expect(status).toBe(431);
    expect((await agent.request('GET', '/healthz')).status).toBe(200);
  });

  it('does not answer below TLS 1.2', async () => {
    const { hostname, port } = new URL(agent.url);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, maxVersion: 'TLSv1.1' });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toMatch(/alert protocol version|unsupported protocol|no protocols available/);
  });
});

describe('the node agent', () => {
  it('ends cleanly on SIGTERM', async () => {
    const agent = await startAgentProgram();
    expect(await agent.end()).toBe(0);
    expect(agent.readLog()).not.toContain('"level":"error"');
  });

  it('stays small at rest', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-rest-'));
    try {
      const rootDir = join(folder, 'root');
      // The first start makes a certificate, and may compile what changed.
      await (await startAgentProgram({ rootDir })).end();
      const agent = await startAgentProgram({ rootDir });
      await agent.request('GET', '/healthz');
      const read = async () => {
        const text = await readFile(`/proc/${agent.process.pid}/status`, 'utf8');
        return Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1]) / 1024;
      };
      const cpu = async () => {
        const fields = (await readFile(`/proc/${agent.process.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
        return Number(fields[11]) + Number(fields[12]);
      };
      const before = await cpu();
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      const ticks = (await cpu()) - before;
      const megabytes = await read();
      console.log(
        `the node agent at rest: ${megabytes.toFixed(0)} MiB resident, ${(ticks / 5).toFixed(1)} % of a processor`,
      );
      expect(megabytes).toBeLessThan(95);
      expect(ticks).toBeLessThan(25);
      await agent.end();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('does not serve checkpoints when their gate is off [Errors#2] [Versioning#7]', async () => {
    const agent = await startAgentProgram({ flags: ['--feature-gates', 'ContainerCheckpoint=false'] });
    try {
      const { status, text } = await agent.request('POST', '/checkpoint/default/p/c');
      expect([status, text]).toEqual([404, '404 page not found\n']);
      expect((await agent.request('GET', '/checkpoints')).status).toBe(404);
    } finally {
      await agent.end();
    }
  });

  it('serves health and metrics in plain HTTP where it is told to', async () => {
    const port = await findFreePort();
    const agent = await startAgentProgram({ flags: ['--health-port', String(port)] });
    try {
      const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      expect(await ask('/healthz')).toBe('ok');
      expect(await ask('/readyz')).toContain('[-]runtime failed: reason withheld');
      expect(await ask('/metrics')).toContain('process_resident_memory_bytes');
    } finally {
      await agent.end();
    }
  });

  it('names every file and field that is wrong, and ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-config-'));
    try {
      await writeFile(join(folder, 'a.yaml'), `${head}port: many\nprot: 1`);
      await writeFile(join(folder, 'b.conf'), `${head}authentication: {anonymous: {enabled: 1}}`);
      const words = ['--root-dir', folder, '--config', join(folder, 'a.yaml'), '--config-dir', folder];
      const { code, output, log } = await runAgentToEnd(words);
      expect([code, output]).toEqual([1, '']);
      expect(log.split('\n')).toEqual([
        `${folder}/a.yaml: port: Invalid value: "many": must be an integer`,
        `${folder}/a.yaml: unknown field "prot"`,
        `${folder}/b.conf: authentication.anonymous.enabled: Invalid value: 1: must be a boolean`,
        '',
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.for<[string[], Record<string, string>, number, string]>([
    [['--prot', '1'], {}, 2, 'unknown flag --prot'],
    [['--exit-on-lock-contention'], {}, 2, 'cannot exit on lock file contention: no lock file specified'],
    [['--kubeconfig', '/nowhere/kubeconfig'], {}, 1, '/nowhere/kubeconfig'],
    [['--client-ca-file', '/nowhere/ca'], {}, 1, '/nowhere/ca'],
    [['--address', '192.0.2.1'], {}, 1, 'EADDRNOTAVAIL'],
    [['--container-runtime-endpoint', 'tcp://x:1'], {}, 1, 'only support unix socket endpoint'],
    [[], { WATCHDOG_USEC: '500000', NOTIFY_SOCKET: '/nowhere' }, 1, 'configure watchdog timeout too small: 500ms'],
  ])('does not start with %j %j', async ([flags, environment, code, text]) => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-root-'));
    try {
      const ended = await runAgentToEnd(['--root-dir', folder, '--port', '0', ...flags], environment);
      expect(ended.code).toBe(code);
      expect(ended.log).toContain(text);
      expect(ended.log).not.toContain('    at ');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('describes its flags', async () => {
    const { code, output } = await runAgentToEnd(['--help']);
    expect(code).toBe(0);
    expect(output).toContain('--root-dir DIR');
    expect(output).toContain('--config-dir DIR');
  });

  it('checks the kernel and ends', async () => {
    const { code, output } = await runAgentToEnd(['check', '--output', 'json']);
    expect([0, 1]).toContain(code);
    const features = JSON.parse(output) as { name: string; isMet: boolean }[];
    expect(features.every(({ isMet }) => isMet)).toBe(code === 0);
    expect((await runAgentToEnd(['check'])).output).toContain('needs ');
  });
});

async function findFreePort(): Promise<number> {
  const server: Server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

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
    other.process.kill('SIGTERM');
    let last = '';
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) last = next.value;
    expect(JSON.parse(last)).toMatchObject({ type: 'Done' });
    expect(await other.end()).toBe(0);
  }, 120_000);
});
