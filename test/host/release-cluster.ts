import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { KubeObject } from '../../core/meta/kube-object.ts';
import { projectRoot } from '../../tools/run-command.ts';
import type { NodeCluster } from '../cluster/node-cluster.ts';
import { busyboxReference } from '../cluster/small-images.ts';
import { startNodeCluster } from '../cluster/start-node-cluster.ts';
import { waitUntil } from '../cluster/wait-until.ts';

/** Folder of the chart. */
export const chart = join(projectRoot, 'charts/bailiwick');

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };

interface PodObject extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** The name under which the chart asks for the image by default, with the registry that a node adds. */
const imageReference = `docker.io/library/bailiwick:${version}`;

/** Records who asked the API server for what, for accounts of releases only. */
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    userGroups: ['system:serviceaccounts']
  - level: None
`;

/** What a release's cluster has besides. */
export interface ReleaseClusterOptions {
  /** The API server records what service accounts do in `audit.log` of that folder. */
  readonly auditFolder?: string;
  /** Controllers of the host's that do not run, besides that of quotas. */
  readonly withoutControllers?: readonly string[];
  /** Files of image archives to load before the node starts. */
  readonly images?: readonly string[];
}

/** Starts a cluster with a real node whose own quota and limit plugins are off, and loads the image that is built from the Dockerfile. */
export async function startReleaseCluster(options: ReleaseClusterOptions = {}): Promise<NodeCluster> {
  const { auditFolder, withoutControllers = [], images = [] } = options;
  const apiServerFlags: string[] = [];
  if (auditFolder !== undefined) {
    const policy = join(auditFolder, 'audit-policy.yaml');
    await writeFile(policy, auditPolicy);
    apiServerFlags.push(`--audit-policy-file=${policy}`, `--audit-log-path=${join(auditFolder, 'audit.log')}`);
    apiServerFlags.push('--audit-log-maxsize=500');
  }
  const cluster = await startNodeCluster({
    disablePlugins: ['ResourceQuota', 'LimitRanger'],
    controllers: ['*', '-resourcequota-controller', ...withoutControllers.map((name) => `-${name}`)],
    apiServerFlags,
    images,
  });
  try {
    const dockerfile = join(projectRoot, 'Dockerfile');
    await cluster.buildImage({ context: projectRoot, dockerfile, reference: imageReference });
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** A pod that a node of the rig can run; `cpu` is its limit. */
export function makePod(name: string, cpu?: string): PodObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'main',
          image: busyboxReference,
          command: ['sleep', '1000000'],
          ...(cpu === undefined ? {} : { resources: { limits: { cpu } } }),
        },
      ],
    },
  };
}

/** Objects of a namespace that match the labels. */
async function listPods(cluster: NodeCluster, namespace: string, selector: string): Promise<PodObject[]> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`;
  return (await cluster.request('GET', path)).body.items as PodObject[];
}

type Component = 'operator' | 'webhooks';

async function findReadyPods(cluster: NodeCluster, namespace: string, component: Component): Promise<PodObject[]> {
  const pods = await listPods(cluster, namespace, `app.kubernetes.io/component=${component}`);
  return pods.filter(({ metadata, status }) => {
    const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
    return isReady === true && metadata.deletionTimestamp === undefined;
  });
}

/** Names of a release's pods that are ready. */
export async function listReadyPods(cluster: NodeCluster, namespace: string, component: Component): Promise<string[]> {
  return (await findReadyPods(cluster, namespace, component)).map(({ metadata }) => metadata.name!);
}

/** Their addresses, which this process reaches. */
export async function listAddresses(cluster: NodeCluster, namespace: string, component: Component): Promise<string[]> {
  return (await findReadyPods(cluster, namespace, component)).map(({ status }) => status!.podIP!);
}

/** Resolves when both programs have as many ready replicas as the chart asks for. */
export async function waitUntilReady(cluster: NodeCluster, namespace: string): Promise<void> {
  for (const component of ['operator', 'webhooks'] as const) {
    await waitUntil(`two ready replicas of ${component}`, async () => {
      return (await listReadyPods(cluster, namespace, component)).length === 2;
    });
  }
}

/** Creates a pod, resolves when it runs, and deletes it; throws with the host's words when it is refused. */
export async function runPod(cluster: NodeCluster, namespace: string, name: string): Promise<void> {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const created = await cluster.request('POST', pods, { body: makePod(name) });
  if (created.status !== 201) throw new Error(`pod ${name}: ${created.status} ${created.body.message}`);
  await waitUntil(`pod ${name} to run`, async () => {
    return (await cluster.request('GET', `${pods}/${name}`)).body.status?.phase === 'Running';
  });
  await cluster.request('DELETE', `${pods}/${name}`);
  await waitUntil(`pod ${name} to be gone`, async () => {
    return (await cluster.request('GET', `${pods}/${name}`)).status === 404;
  });
}
