import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildControlPlaneProgram } from './build-control-plane.ts';
import type { ControlPlaneProgram } from './control-plane-cache.ts';
import { requestCluster, type ClusterAnswer, type ClusterRequestOptions } from './cluster-request.ts';
import {
  listApiServerFlags,
  listControllerManagerFlags,
  listEtcdFlags,
  listSchedulerFlags,
  type ClusterPlan,
} from './cluster-flags.ts';
import { issueClientCertificate, issueClusterCertificates } from './issue-certificates.ts';
import { ProcessGroup } from './process-group.ts';
import { waitUntil } from './wait-until.ts';
import { writeKubeconfig } from './write-kubeconfig.ts';

const attempts = 3;

/** What to start besides etcd and the API server, and flags that come after the rig's own. */
export interface ClusterOptions {
  readonly controllerManager?: boolean;
  readonly scheduler?: boolean;
  readonly apiServerFlags?: readonly string[];
  readonly controllerManagerFlags?: readonly string[];
  /** Whether etcd waits for the disk at every write, as it does in earnest. */
  readonly waitsForDisk?: boolean;
}

/** A running control plane of one's own, without nodes. */
export interface Cluster {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** File of an administrator's kubeconfig; it verifies the server. */
  readonly kubeconfig: string;
  /** Bearer token of the administrator, a member of `system:masters`. */
  readonly token: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  /** Folder of data, keys and logs; removed by `stop`. */
  readonly folder: string;
  /** Process ids by program. */
  readonly pids: ReadonlyMap<string, number>;
  /** Makes a request, as the administrator unless `headers` say otherwise. Refusals are answers, not throws. */
  request(method: string, path: string, options?: ClusterRequestOptions): Promise<ClusterAnswer>;
  /** Issues a client certificate that the API server believes. */
  issueClientCertificate(username: string, groups: readonly string[]): Promise<{ certificate: string; key: string }>;
  /** Stops every process and removes the folder; may be called again. */
  stop(): Promise<void>;
}

async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  // All are held before the first is given back, so that they differ.
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Executables of what is to be started; an empty text for what is not. */
async function buildPrograms(options: ClusterOptions): Promise<Record<ControlPlaneProgram, string>> {
  return {
    etcd: await buildControlPlaneProgram('etcd'),
    'kube-apiserver': await buildControlPlaneProgram('kube-apiserver'),
    'kube-controller-manager': options.controllerManager
      ? await buildControlPlaneProgram('kube-controller-manager')
      : '',
    'kube-scheduler': options.scheduler ? await buildControlPlaneProgram('kube-scheduler') : '',
  };
}

async function startIn(folder: string, group: ProcessGroup, options: ClusterOptions): Promise<Cluster> {
  const programs = await buildPrograms(options);
  const pki = join(folder, 'pki');
  await mkdir(pki);
  await issueClusterCertificates(pki, ['IP:127.0.0.1', 'DNS:localhost', 'DNS:kubernetes.default.svc']);
  const ca = await readFile(join(pki, 'ca.crt'), 'utf8');
  const token = randomBytes(24).toString('hex');
  await writeFile(join(pki, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const [etcdPort = 0, peerPort = 0, apiServerPort = 0] = await findFreePorts(3);
  const url = `https://127.0.0.1:${apiServerPort}`;
  const kubeconfig = join(folder, 'kubeconfig');
  await writeKubeconfig(kubeconfig, url, ca, { token });

  const plan: ClusterPlan = { folder, address: '127.0.0.1', pki, kubeconfig, etcdPort, peerPort, apiServerPort };
  const start = (name: ControlPlaneProgram, words: readonly string[]): void =>
    group.start({ name, command: programs[name], words, logFile: join(folder, `${name}.log`) });
  const request: Cluster['request'] = (method, path, more) =>
    requestCluster({ url, ca, token }, method, path, more ?? {});
  // What a test writes need not outlive it.
  start('etcd', [...listEtcdFlags(plan), ...(options.waitsForDisk ? [] : ['--unsafe-no-fsync'])]);
  start('kube-apiserver', [...listApiServerFlags(plan), ...(options.apiServerFlags ?? [])]);
  await waitUntil('the API server to become ready', async () => {
    await group.checkAlive();
    return (await request('GET', '/readyz').catch(() => undefined))?.status === 200;
  });
  if (options.controllerManager) {
    const flags = options.controllerManagerFlags ?? [];
    start('kube-controller-manager', [...listControllerManagerFlags(plan), ...flags]);
  }
  if (options.scheduler) start('kube-scheduler', listSchedulerFlags(plan));
  return {
    ...{ url, kubeconfig, token, ca, folder, request },
    stop: () => group.stop(),
    get pids() {
      return group.pids;
    },
    issueClientCertificate: (username, groups) => issueClientCertificate(pki, username, groups),
  };
}

async function startOnce(options: ClusterOptions): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-cluster-'));
  // From here on somebody watches who removes the folder, whatever becomes of this process.
  const group = new ProcessGroup(folder);
  try {
    return await startIn(folder, group, options);
  } catch (error) {
    await group.stop();
    throw error;
  }
}

/**
 * Starts a real control plane on free ports of loopback, in a folder of its own below the system's folder for temporary files;
 * builds it first where the cache has none. Resolves when the API server is ready. It ends with this process at the latest.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Between finding a free port and listening on it, someone else may take it.
      if (attempt >= attempts || !/address already in use/.test(String(error))) throw error;
    }
  }
}
