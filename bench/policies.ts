import { readFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';

import { parse } from 'yaml';

import { makeLawfulPod } from './policies/sample-policies.ts';
import { PolicyInstaller, type PolicyHolder } from './policies/install-policies.ts';
import { startCluster } from '../test/cluster/start-cluster.ts';
import { RequestDriver, type DrivenRequest, type Target } from '../test/host/drive-requests.ts';
import { findMedian } from '../test/host/figures.ts';
import { startService, type Service, type ServiceResponse } from '../test/service/start-service.ts';

const workers = 16;
const throughputGoal = 5;
const idleGoal = 0.95;
const warmUpSeconds = 1;

/** Bindings that match every pod, and others that match none. */
const loads: readonly { readonly name: string; readonly matching: number; readonly others: number }[] = [
  { name: 'no policy', matching: 0, others: 0 },
  { name: '10 bindings', matching: 10, others: 0 },
  { name: '64 bindings', matching: 64, others: 0 },
  { name: '256 bindings', matching: 256, others: 0 },
  { name: '1024 bindings', matching: 1024, others: 0 },
  { name: '1024 that do not match', matching: 0, others: 1024 },
];

/** One side of the comparison. */
interface Side {
  readonly name: string;
  readonly installer: PolicyInstaller;
  readonly driver: RequestDriver;
  readonly clear: () => Promise<unknown>;
}

function readWord(name: string, fallback: string): string {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? fallback : (process.argv[place + 1] ?? fallback);
}

const rounds = Number(readWord('rounds', '5'));
const seconds = Number(readWord('seconds', '3'));
const only = readWord('only', '');

let podCount = 0;

function makeRequest(): DrivenRequest {
  podCount += 1;
  return { path: '/api/v1/namespaces/bench/pods', body: JSON.stringify(makeLawfulPod(`pod-${podCount}`)) };
}

async function makeSide(name: string, holder: PolicyHolder, target: Target): Promise<Side> {
  const status = await holder.send('POST', '/api/v1/namespaces', { metadata: { name: 'bench' } });
  if (status !== 201) throw new Error(`${name}: the namespace was answered ${status}`);
  return {
    ...{ name, installer: new PolicyInstaller(holder), driver: new RequestDriver(target) },
    clear: () => holder.send('DELETE', '/api/v1/namespaces/bench/pods?gracePeriodSeconds=0'),
  };
}

/** A token of an account that may do everything, at a service that was just started. */
async function mintToken(service: Service): Promise<string> {
  const create = async (path: string, body: unknown): Promise<ServiceResponse> => {
    const answer = await service.request('POST', path, { body });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  await create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bench' } });
  const subjects = [{ kind: 'ServiceAccount', name: 'bench', namespace: 'default' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  await create(bindings, { metadata: { name: 'bench' }, subjects, roleRef });
  const path = '/api/v1/namespaces/default/serviceaccounts/bench/token';
  const answer = await create(path, { spec: { expirationSeconds: 7200 } });
  return (answer.json as { status: { token: string } }).status.token;
}

async function readAuthority(service: Service): Promise<string> {
  const config = parse(await readFile(service.kubeconfig, 'utf8')) as {
    clusters: { cluster: Record<string, string> }[];
  };
  return Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString('utf8');
}

const closing: (() => Promise<unknown> | void)[] = [];
try {
  const cluster = await startCluster({
    waitsForDisk: true,
    apiServerFlags: ['--disable-admission-plugins=ServiceAccount'],
  });
  closing.push(() => cluster.stop());
  const service = await startService();
  closing.push(() => service.stop());
  const ours = await makeSide(
    'Bailiwick',
    {
      group: 'admissionregistration.bailiwick.dev',
      send: async (method, path, body) => (await service.request(method, path, { body })).status,
    },
    { url: service.url, ca: await readAuthority(service), token: await mintToken(service) },
  );
  const theirs = await makeSide(
    'kube-apiserver',
    {
      group: 'admissionregistration.k8s.io',
      send: async (method, path, body) => (await cluster.request(method, path, { body })).status,
    },
    cluster,
  );
  for (const { driver } of [ours, theirs]) closing.push(() => driver.close());

  console.log(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
  console.log(`pods created in a second by ${workers} clients, medians of ${rounds} rounds of ${seconds} s, in turn\n`);
  console.log(['bindings'.padEnd(24), 'Bailiwick', 'kube-apiserver', 'ratio', 'of no policy'].join('  '));
  const missed: string[] = [];
  let unhindered = Number.NaN;
  for (const { name, matching, others } of loads) {
    if (only !== '' && name !== 'no policy' && !only.split(',').includes(name)) continue;
    await Promise.all([ours, theirs].map(({ installer }) => installer.install(matching, others)));
    const results = new Map<Side, number[]>([ours, theirs].map((side) => [side, []]));
    for (let round = 0; round < rounds; round += 1) {
      // Each round begins with the other one.
      for (const side of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) {
        await side.driver.driveFlatOut(workers, warmUpSeconds, makeRequest);
        results.get(side)?.push(await side.driver.driveFlatOut(workers, seconds, makeRequest));
        await side.clear();
      }
    }
    const [own = Number.NaN, other = Number.NaN] = [ours, theirs].map((side) => findMedian(results.get(side) ?? []));
    if (name === 'no policy') unhindered = own;
    const cells = [own.toFixed(0).padStart(9), other.toFixed(0).padStart(14), (own / other).toFixed(2).padStart(5)];
    console.log([name.padEnd(24), ...cells, (own / unhindered).toFixed(2).padStart(12)].join('  '));
    if (matching >= 64 && own / other < throughputGoal) missed.push(`${name}: ${(own / other).toFixed(2)} times`);
    if (others > 0 && own / unhindered < idleGoal)
      missed.push(`${name}: ${(own / unhindered).toFixed(2)} of no policy`);
  }
  console.log(`\ngoals: ${throughputGoal} times from 64 bindings on, ${idleGoal} of no policy where none matches`);
  for (const one of missed) console.log(`MISSED ${one}`);
  if (missed.length > 0) process.exitCode = 1;
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  for (const close of closing.toReversed()) await close();
}
