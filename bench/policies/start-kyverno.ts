import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import { parseAllDocuments } from 'yaml';

import { buildKyverno } from '../../test/cluster/build-kyverno.ts';
import type { Cluster } from '../../test/cluster/start-cluster.ts';
import { waitUntil } from '../../test/cluster/wait-until.ts';
import { requestOk } from '../admission/subjects.ts';

const namespace = 'kyverno';
const readyMillis = 120_000;

/** Kyverno's admission controller, running beside a control plane. */
export interface Kyverno {
  readonly pid: number;
  stop(): Promise<void>;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function installDefinitions(cluster: Cluster, folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.yaml'))) {
    for (const document of parseAllDocuments(await readFile(join(folder, file), 'utf8'))) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await requestOk(cluster, 'POST', path, document.toJS());
    }
  }
}

/** What its chart would make and its controller looks for. */
async function installSettings(cluster: Cluster): Promise<void> {
  await requestOk(cluster, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  for (const name of ['kyverno', 'kyverno-metrics']) {
    await requestOk(cluster, 'POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name } });
  }
  const labels = { app: 'kyverno' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'kyverno', image: 'kyverno:1' }] } };
  await requestOk(cluster, 'POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name: 'kyverno' },
    spec: { selector: { matchLabels: labels }, template },
  });
}

/** Starts it, with its log in `folder`, reporting to nobody and without admission reports; resolves when its webhooks are registered. */
export async function startKyverno(cluster: Cluster, folder: string): Promise<Kyverno> {
  const { program, definitionsFolder } = await buildKyverno();
  await installDefinitions(cluster, definitionsFolder);
  await installSettings(cluster);
  const port = await findFreePort();
  const words = [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--serverIP=127.0.0.1:${port}`,
    '--webhookServerHost=127.0.0.1',
    `--webhookServerPort=${port}`,
    '--backgroundServiceAccountName=system:serviceaccount:kyverno:kyverno-background-controller',
    '--caSecretName=kyverno-svc.kyverno.svc.kyverno-tls-ca',
    '--tlsSecretName=kyverno-svc.kyverno.svc.kyverno-tls-pair',
    '--admissionReports=false',
    '--disableMetrics=true',
    '--controllerRuntimeMetricsAddress=0',
    '-v=0',
  ];
  const environment = {
    KYVERNO_NAMESPACE: namespace,
    KYVERNO_SERVICEACCOUNT_NAME: 'kyverno',
    KYVERNO_DEPLOYMENT: 'kyverno',
    KYVERNO_POD_NAME: 'kyverno',
    KYVERNO_SVC: 'kyverno-svc',
    INIT_CONFIG: 'kyverno',
    METRICS_CONFIG: 'kyverno-metrics',
  };
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } });
  const log = createWriteStream(join(folder, 'kyverno.log'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await exited;
    log.end();
  };
  try {
    await waitUntil(
      'the webhooks of Kyverno',
      async () => {
        if (child.exitCode !== null) throw new Error('Kyverno has ended');
        const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
        const { body } = await cluster.request('GET', `${path}/kyverno-policy-validating-webhook-cfg`);
        return (body.webhooks ?? []).length > 0;
      },
      readyMillis,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, stop };
}
