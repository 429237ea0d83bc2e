import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchServedCertificate } from '../platform/certificates/check-served-certificate.ts';
import { makeCertificate } from '../platform/certificates/make-certificate.ts';
import { type AgentRun, runAgentToEnd, startAgentProgram } from './agent/start-agent-program.ts';

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
    // What has not happened yet is told, so that its first time shows as an increase.
    expect(text).toContain('bailiwick_agent_checkpoints_total{result="Timeout"} 0');
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

/** An archive of 64 MiB of zeros that takes no space, as a crash of the agent would have left it. */
async function placeArchive(rootDir: string, name: string): Promise<void> {
  const folder = join(rootDir, 'checkpoints');
  await mkdir(join(folder, '.records'), { recursive: true });
  const base = `checkpoint-${name}_shop-app-2026-11-22T13:00:00.000Z`;
  await writeFile(join(folder, `${base}.tar`), '');
  await truncate(join(folder, `${base}.tar`), 64 << 20);
  const now = new Date().toISOString();
  const record = {
    ...{ name, namespace: 'shop', podName: name, podUid: 'u', containerName: 'app', containerId: 'c', nodeName: 'n' },
    ...{ archive: '', sizeBytes: 64 << 20, startTime: now, completionTime: now, pinned: false },
  };
  await writeFile(join(folder, '.records', `${base}.json`), JSON.stringify(record));
}

async function readResidentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
}

describe('the node agent with readers that take nothing', () => {
  it('sends 32 archives at once and no more, and keeps within its memory', async () => {
    const rootDir = await mkdtemp(join(tmpdir(), 'agent-readers-'));
    await placeArchive(rootDir, 'web');
    const agent = await startAgentProgram({ rootDir });
    try {
      const atRest = await readResidentBytes(agent.process.pid);
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => agent.open('GET', '/checkpoints/shop/web/archive')),
      );
      const counts = Map.groupBy(answers, ({ statusCode }) => statusCode);
      expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([32, 68]);
      for (const answer of answers) answer.on('error', () => undefined);
      // All that the sockets take has been sent when a request that comes later is answered.
      for (let i = 0; i < 20; i += 1) expect((await agent.request('GET', '/checkpoints')).status).toBe(200);
      const grown = (await readResidentBytes(agent.process.pid)) - atRest;
      expect(grown).toBeLessThan(80 << 20);
      for (const answer of answers) answer.destroy();
    } finally {
      await agent.end();
      await rm(rootDir, { recursive: true, force: true });
    }
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

  it('keeps its certificate in --cert-dir, or serves that of files of any name [Resources and their fields/Node agent local files and sockets#3]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-certificates-'));
    const find = async (agent: AgentRun) =>
      (
        await fetchServedCertificate({
          port: Number(new URL(agent.url).port),
          serverName: 'node-1',
          timeoutMillis: 60_000,
        })
      ).fingerprint256;
    try {
      const first = await startAgentProgram({ flags: ['--cert-dir', join(folder, 'certs')] });
      const shown = await find(first);
      await expect(stat(join(first.rootDir, 'pki'))).rejects.toThrow('ENOENT');
      await first.end();
      const second = await startAgentProgram({ flags: ['--cert-dir', join(folder, 'certs')] });
      expect(await find(second)).toBe(shown);
      await second.end();

      const now = Date.now();
      const { certificate, privateKey } = await makeCertificate({
        ...{ commonName: 'mine', purpose: 'server', subjectNames: ['node-1'] },
        ...{ notBeforeMillis: now - 60_000, notAfterMillis: now + 3_600_000 },
      });
      await writeFile(join(folder, 'a.pem'), certificate);
      await writeFile(join(folder, 'b.pem'), privateKey, { mode: 0o600 });
      const files = ['--tls-cert-file', join(folder, 'a.pem'), '--tls-private-key-file', join(folder, 'b.pem')];
      const third = await startAgentProgram({ flags: files });
      expect(await find(third)).toBe(new X509Certificate(certificate).fingerprint256);
      await third.end();
    } finally {
      await rm(folder, { recursive: true, force: true });
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
