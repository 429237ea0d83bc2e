import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse } from 'yaml';
import { readFile } from 'node:fs/promises';

import { startCluster } from '../cluster/start-cluster.ts';
import { startService } from '../service/start-service.ts';
import { connectTarget, type Target } from './target.ts';

/** Plugins of admission that ours has no like of, by choice: `admission-plugins` in docs/deviations.md. */
const foreignPlugins = [
  ...['DefaultStorageClass', 'PersistentVolumeClaimResize', 'PodSecurity', 'Priority'],
  ...['RuntimeClass', 'ServiceAccount', 'StorageObjectInUseProtection'],
];

/** The controllers that ours has the like of. */
const sharedControllers = [
  ...['clusterrole-aggregation-controller', 'garbage-collector-controller', 'namespace-controller'],
  ...['resourcequota-controller', 'root-ca-certificate-publisher-controller', 'serviceaccount-controller'],
  ...['validatingadmissionpolicy-status-controller'],
];

/** Those that run on neither side, so that cases can say in their place what they would. */
const absentControllers = ['disruption-controller', 'node-lifecycle-controller', 'taint-eviction-controller'];

/** Starts a real control plane with the admission and the controllers that ours has the like of. */
export async function startRealTarget(name: string): Promise<Target> {
  const cluster = await startCluster({
    apiServerFlags: [`--disable-admission-plugins=${foreignPlugins.join(',')}`],
    controllerManager: true,
    controllerManagerFlags: [`--controllers=${sharedControllers.join(',')}`],
  });
  return connectTarget({ name, url: cluster.url, ca: cluster.ca, token: cluster.token, stop: () => cluster.stop() });
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data': string } }];
}

/** Starts the embedded service under the groups of Kubernetes, with an administrator of the same name as the real one's. */
export async function startOwnTarget(name: string): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-differential-'));
  const tokens = join(folder, 'tokens.csv');
  await writeFile(tokens, 'token,admin,admin,"system:masters"\n');
  const flags = [`--token-auth-file=${tokens}`, `--controllers=*,-${absentControllers.join(',-')}`];
  const service = await startService({ domain: 'k8s.io', flags });
  const { clusters } = parse(await readFile(service.kubeconfig, 'utf8')) as Kubeconfig;
  return connectTarget({
    name,
    url: service.url,
    ca: Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString(),
    token: 'token',
    stop: async () => {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  });
}
