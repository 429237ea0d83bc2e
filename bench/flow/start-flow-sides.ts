import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse } from 'yaml';

import { makeCertificate } from '../../platform/certificates/make-certificate.ts';
import { buildGoProgram } from '../../test/cluster/build-control-plane.ts';
import { startCluster } from '../../test/cluster/start-cluster.ts';
import { waitUntil } from '../../test/cluster/wait-until.ts';
import { startService } from '../../test/service/start-service.ts';
import { listFlowObjects } from './flow-objects.ts';
import { LineProgram } from './line-program.ts';

const hourMillis = 3_600_000;
/** What is stored is kept in memory where the system has a folder for that: neither side waits for a disk, only for seats. */
const memoryFolder = '/dev/shm';

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What answers requests, before anything is installed there. */
interface Started {
  readonly name: string;
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  send(method: string, path: string, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

/** One of the two that are compared, with its load, and with somebody who takes a while for each object that is made. */
export interface FlowSide {
  readonly name: string;
  readonly load: LineProgram;
  /** How long each question takes from now on, in milliseconds; resolves to how many were asked before. */
  setDelay(millis: number): Promise<number>;
  readMetrics(): Promise<string>;
  stop(): Promise<void>;
}

async function startRealServer(): Promise<Started> {
  const cluster = await startCluster({ apiServerFlags: ['--disable-admission-plugins=ServiceAccount'] });
  const { url, ca, token } = cluster;
  return {
    ...{ name: 'kube-apiserver', url, ca, token },
    send: async (method, path, body) => {
      const answer = await cluster.request(method, path, { body });
      return {
        status: answer.status,
        text: typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
      };
    },
    stop: () => cluster.stop(),
  };
}

async function startOwnServer(folder: string): Promise<Started> {
  const token = randomBytes(24).toString('hex');
  const tokenFile = join(folder, 'tokens.csv');
  await writeFile(tokenFile, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const dataDir = join(folder, 'data');
  const service = await startService({ domain: 'k8s.io', dataDir, flags: ['--token-auth-file', tokenFile] });
  const config = parse(await readFile(service.kubeconfig, 'utf8')) as {
    clusters: { cluster: Record<string, string> }[];
  };
  const ca = Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString('utf8');
  return {
    ...{ name: 'Bailiwick', url: service.url, ca, token },
    send: (method, path, body) => service.request(method, path, { body }),
    stop: async () => void (await service.stop()),
  };
}

/** Starts one side and what belongs to it, and installs what the load needs. */
export async function startFlowSide(which: 'own' | 'real'): Promise<FlowSide> {
  const folder = await mkdtemp(join(existsSync(memoryFolder) ? memoryFolder : tmpdir(), 'bailiwick-flow-'));
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const server = which === 'own' ? await startOwnServer(folder) : await startRealServer();
  const period = { notBeforeMillis: Date.now() - hourMillis, notAfterMillis: Date.now() + 24 * hourMillis };
  const authority = await makeCertificate({ commonName: 'slow authority', purpose: 'authority', ...period });
  const serving = await makeCertificate(
    { commonName: 'slow', purpose: 'server', subjectNames: ['127.0.0.1'], ...period },
    authority,
  );
  const webhook = new LineProgram(await buildGoProgram('slow-webhook', new URL('slow-webhook.go', import.meta.url)), [
    await write('slow.crt', serving.certificate),
    await write('slow.key', serving.privateKey),
  ]);
  const webhookUrl = (await webhook.read()).replace(/^ready /, '');
  for (const [path, body] of listFlowObjects(webhookUrl, authority.certificate)) {
    const { status, text } = await server.send('POST', path, body);
    if (status !== 201) throw new Error(`${server.name}: ${path} was answered ${status}: ${text}`);
  }
  await waitUntil('the kind to be served, and the level to be in force', async () => {
    const kind = await server.send('GET', '/apis/bench.example.org/v2/slows');
    const metrics = await server.send('GET', '/metrics');
    return kind.status === 200 && /nominal_limit_seats\{priority_level="narrow"\} 10$/m.test(metrics.text);
  });
  const load = new LineProgram(await buildGoProgram('flow-client', new URL('flow-client.go', import.meta.url)), [
    server.url,
    await write('server.crt', server.ca),
    await write('token', server.token),
  ]);
  return {
    ...{ name: server.name, load },
    setDelay: async (millis) => Number(await webhook.ask(String(millis))),
    readMetrics: async () => (await server.send('GET', '/metrics')).text,
    stop: async () => {
      await load.stop();
      await webhook.stop();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
