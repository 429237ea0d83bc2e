import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startService, type Service } from './service/start-service.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const program = join(dirname(dirname(fileURLToPath(import.meta.url))), 'operator/main.ts');

let dataDir: string;
let service: Service | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bailiwick-robust-'));
});
afterEach(async () => {
  if (service?.process.exitCode === null) await service.kill();
  service = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

async function listNames(from: Service): Promise<Set<string>> {
  const { json } = await from.request('GET', PATH);
  return new Set(json.items.map((item: { metadata: { name: string } }) => item.metadata.name));
}

/** How a second program ends that cannot start. */
async function runToEnd(flags: readonly string[]): Promise<{ code: number | null; log: string }> {
  const child = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, log };
}

describe('a service that cannot start says why in one line', () => {
  it('when another one has its data', async () => {
    service = await startService({ dataDir });
    const { code, log } = await runToEnd(['--data-dir', dataDir, '--port', '0']);
    expect(log).toMatch(/^cannot open the store .*: another process has it open\n$/);
    expect(code).toBe(1);
    expect((await service.request('GET', '/readyz')).status).toBe(200);
  });

  it('when its port is taken', async () => {
    service = await startService({ dataDir });
    // It says besides that it made what a new folder lacks, when it comes to that first.
    const quiet = ['--log-level', 'warn'];
    const flags = ['--data-dir', join(dataDir, 'second'), '--port', new URL(service.url).port, ...quiet];
    const { code, log } = await runToEnd(flags);
    expect(log).toMatch(/^listen EADDRINUSE: .*\n$/);
    expect(code).toBe(1);
  });

  it.for([
    ['its folder is a file', 'file', /^EEXIST: .*\n$/],
    ['its store is something else', '.', /^cannot open the store .*: file is not a database\n$/],
  ] as const)('when %s', async ([, folder, message]) => {
    writeFileSync(join(dataDir, 'file'), '');
    writeFileSync(join(dataDir, 'store.db'), 'x'.repeat(8192));
    const { code, log } = await runToEnd(['--data-dir', join(dataDir, folder), '--port', '0']);
    expect(log).toMatch(message);
    expect(code).toBe(1);
  });

  it('when a flag is wrong, with a status of its own', async () => {
    const { code, log } = await runToEnd(['--port', '99999']);
    expect(log).toBe('--port 99999: must be a port, 0 to 65535\n');
    expect(code).toBe(2);
  });
});

it('keeps its secrets to its owner', async () => {
  service = await startService({ dataDir });
  for (const file of ['kubeconfig', 'store.db', 'pki/ca.key', 'pki/serving.key', 'pki/service-account.key']) {
    expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
  }
  expect(statSync(join(dataDir, 'pki')).mode & 0o777).toBe(0o700);
});

it('refuses writes while its disk is full, reads on, and writes again once there is room', async ({ skip }) => {
  service = await startService({ dataDir });
  const { pid } = service.process;
  const limit = (bytes: string) => spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  if (limit('2000000').status !== 0) skip('there is no prlimit here');
  const stored: string[] = [];
  const refused: string[] = [];
  for (let i = 0; refused.length < 5; i++) {
    const name = `c${i}`;
    const answer = await service.request('POST', PATH, {
      body: { metadata: { name }, data: { a: 'x'.repeat(50_000) } },
    });
    expect([201, 500]).toContain(answer.status);
    (answer.status === 201 ? stored : refused).push(name);
  }
  expect(stored.length).toBeGreaterThan(5);
  let names = await listNames(service);
  expect([...names].filter((name) => name.startsWith('c')).toSorted()).toEqual(stored.toSorted());
  limit('unlimited');
  const again = await service.request('POST', PATH, { body: { metadata: { name: refused[0] } } });
  expect(again.status).toBe(201);
  expect(await service.stop()).toBe(0);
  service = await startService({ dataDir });
  names = await listNames(service);
  const expected = [...stored, refused[0] ?? ''].toSorted();
  expect([...names].filter((name) => name.startsWith('c')).toSorted()).toEqual(expected);
});

it('keeps every write that it acknowledged before it ended on SIGTERM, under load', async () => {
  const running = (service = await startService({ dataDir }));
  const acknowledged: string[] = [];
  const write = async (writer: number): Promise<void> => {
    for (let i = 0; ; i++) {
      const name = `w${writer}-${i}`;
      const answer = await running.request('POST', PATH, { body: { metadata: { name } } }).catch(() => undefined);
      if (answer === undefined) return;
      if (answer.status === 201) acknowledged.push(name);
      if (acknowledged.length === 100) running.process.kill('SIGTERM');
    }
  };
  const exited = once(running.process, 'exit');
  await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)));
  expect((await exited)[0]).toBe(0);
  expect(acknowledged.length).toBeGreaterThanOrEqual(100);
  service = await startService({ dataDir });
  const names = await listNames(service);
  expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
});
