import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

import { parse } from 'yaml';

import { startCluster } from '../../test/cluster/start-cluster.ts';
import { startService, type Service } from '../../test/service/start-service.ts';
import { projectRoot } from '../../tools/run-command.ts';
import { readUsage, type ProcessUsage } from '../admission/read-usage.ts';
import { LoadClient } from './load-client.ts';

/** That of `npm start`. */
const compileCache = join(projectRoot, 'node_modules/.cache/compile');

/** One of the two that are compared, running. */
export interface Side {
  readonly name: string;
  /** From nothing to ready, keys and certificates included. */
  readonly startSeconds: number;
  readonly load: LoadClient;
  /** What all its processes have used so far. */
  readUsage(): ProcessUsage;
  /** Makes a request as an administrator; resolves to the status. */
  send(method: string, path: string, body?: unknown): Promise<number>;
  stop(): Promise<void>;
}

function sumUsage(pids: readonly number[]): ProcessUsage {
  const usages = pids.map(readUsage);
  return {
    cpuSeconds: usages.reduce((sum, one) => sum + one.cpuSeconds, 0),
    residentMegabytes: usages.reduce((sum, one) => sum + one.residentMegabytes, 0),
  };
}

/** Starts kube-apiserver and an etcd that waits for the disk. */
export async function startReal(): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-load-'));
  const startMillis = performance.now();
  const cluster = await startCluster({
    waitsForDisk: true,
    apiServerFlags: ['--disable-admission-plugins=ServiceAccount'],
  });
  const startSeconds = (performance.now() - startMillis) / 1000;
  const load = await LoadClient.start(cluster, folder, 'real');
  return {
    ...{ name: 'kube-apiserver + etcd', startSeconds, load },
    readUsage: () => sumUsage([...cluster.pids.values()]),
    send: async (method, path, body) => (await cluster.request(method, path, { body })).status,
    stop: async () => {
      await load.stop();
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readAuthority(service: Service): Promise<string> {
  const config = parse(await readFile(service.kubeconfig, 'utf8')) as {
    clusters: { cluster: Record<string, string> }[];
  };
  return Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString('utf8');
}

/** Starts the API service, under the groups of Kubernetes; with `profileFolder` it writes there what it spends its time on. */
export async function startOwn(profileFolder?: string): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-load-'));
  const token = randomBytes(24).toString('hex');
  const tokenFile = join(folder, 'tokens.csv');
  await writeFile(tokenFile, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const startMillis = performance.now();
  const service = await startService({
    domain: 'k8s.io',
    flags: ['--token-auth-file', tokenFile],
    environment: {
      NODE_COMPILE_CACHE: compileCache,
      ...(profileFolder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}` }),
    },
  });
  const startSeconds = (performance.now() - startMillis) / 1000;
  const load = await LoadClient.start({ url: service.url, ca: await readAuthority(service), token }, folder, 'own');
  return {
    ...{ name: 'Bailiwick', startSeconds, load },
    readUsage: () => sumUsage([service.process.pid ?? 0]),
    send: async (method, path, body) => (await service.request(method, path, { body })).status,
    stop: async () => {
      await load.stop();
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
