import { formatTime } from '../../core/time/time.ts';
import type { AnyObject } from '../controllers/await-objects.ts';
import type { CountScenario, ScenarioPod } from './count-scenarios.ts';

/** Makes a request as an administrator; throws on a refusal. */
export type SendRequest = (method: string, path: string, body?: unknown, contentType?: string) => Promise<AnyObject>;

/** A kind of anybody's that has a scale subresource. */
export const rolloutDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rollouts.acme.example' },
  spec: {
    group: 'acme.example',
    scope: 'Namespaced',
    names: { kind: 'Rollout', plural: 'rollouts', singular: 'rollout' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      },
    ],
  },
};

const labels = { app: 'counted' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const strategicMerge = 'application/strategic-merge-patch+json';

const paths: Readonly<Record<string, readonly [apiVersion: string, path: string]>> = {
  DaemonSet: ['apps/v1', 'apis/apps/v1/namespaces/NS/daemonsets'],
  Deployment: ['apps/v1', 'apis/apps/v1/namespaces/NS/deployments'],
  Job: ['batch/v1', 'apis/batch/v1/namespaces/NS/jobs'],
  ReplicaSet: ['apps/v1', 'apis/apps/v1/namespaces/NS/replicasets'],
  ReplicationController: ['v1', 'api/v1/namespaces/NS/replicationcontrollers'],
  Rollout: ['acme.example/v1', 'apis/acme.example/v1/namespaces/NS/rollouts'],
  StatefulSet: ['apps/v1', 'apis/apps/v1/namespaces/NS/statefulsets'],
};

function locate(kind: string, namespace: string): { apiVersion: string; path: string } {
  const [apiVersion, path] = paths[kind] ?? ['acme.example/v1', ''];
  return { apiVersion, path: `/${path.replace('NS', namespace)}` };
}

function makeSpec(kind: string, replicas: number): AnyObject {
  const selector = { matchLabels: labels };
  if (kind === 'DaemonSet') return { selector, template };
  if (kind === 'Job') return { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } };
  if (kind === 'ReplicationController') return { replicas, selector: labels, template };
  if (kind === 'Rollout') return { replicas };
  return { replicas, selector, template, ...(kind === 'StatefulSet' ? { serviceName: 'x' } : {}) };
}

/** Creates a workload; returns a reference to it as a controller. */
async function createWorkload(
  send: SendRequest,
  namespace: string,
  kind: string,
  name: string,
  replicas: number,
  owner?: AnyObject,
): Promise<AnyObject> {
  const { apiVersion, path } = locate(kind, namespace);
  const metadata = { name, ...(owner === undefined ? {} : { ownerReferences: [owner] }) };
  const created = await send('POST', path, { apiVersion, kind, metadata, spec: makeSpec(kind, replicas) });
  return { apiVersion, kind, name, uid: created['metadata'].uid as string, controller: true };
}

async function createPod(send: SendRequest, namespace: string, pod: ScenarioPod, owner?: AnyObject): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const { name, ready = true, isGoing = false } = pod;
  const metadata = { name, labels, ...(owner === undefined ? {} : { ownerReferences: [owner] }) };
  // A pod on a node stays until its node has ended it.
  const spec = { ...template.spec, nodeName: 'nowhere', terminationGracePeriodSeconds: 3_600 };
  await send('POST', path, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] };
  await send('PATCH', `${path}/${name}/status`, { status }, strategicMerge);
  if (isGoing) await send('DELETE', `${path}/${name}`);
}

/** Makes everything of a scenario but its budget, in a new namespace. */
export async function prepareScenario(
  send: SendRequest,
  namespace: string,
  { workloads = {}, pods = [] }: CountScenario,
): Promise<void> {
  await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const owners = new Map<string, AnyObject>();
  for (const [key, replicas] of Object.entries(workloads)) {
    const [kind = '', name = ''] = key.split('/');
    const reference = await createWorkload(send, namespace, kind, name, replicas);
    owners.set(key, reference);
    if (kind !== 'Deployment') continue;
    owners.set(`ReplicaSet/${name}`, await createWorkload(send, namespace, 'ReplicaSet', name, replicas, reference));
  }
  for (const pod of pods) {
    const [kind = '', name = ''] = pod.owner ?? [];
    const { apiVersion } = locate(kind, namespace);
    const unknown = { apiVersion, kind, name, uid: '6b1d0c1e-0000-4000-8000-000000000000', controller: true };
    await createPod(send, namespace, pod, kind === '' ? undefined : (owners.get(`${kind}/${name}`) ?? unknown));
  }
}

/** Creates the budget of a scenario in the collection at `path`, with the grants that it has. */
export async function createBudget(
  send: SendRequest,
  path: string,
  apiVersion: string,
  { budget, granted }: CountScenario,
): Promise<void> {
  const spec = { ...budget, selector: { matchLabels: labels } };
  await send('POST', path, { apiVersion, kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec });
  if (granted === undefined) return;
  const entries = Object.entries(granted).map(([pod, secondsAgo]) => [
    pod,
    formatTime(Date.now() - secondsAgo * 1_000),
  ]);
  const status = { disruptedPods: Object.fromEntries(entries) as AnyObject };
  await send('PATCH', `${path}/b/status`, { status }, 'application/merge-patch+json');
}

/** `desired/expected/healthy/allowed` and the reason and message of a fault, as scenarios have them; empty while nothing was counted. */
export function describeStatus(status: AnyObject | undefined): string {
  const condition = ((status?.['conditions'] ?? []) as AnyObject[]).find(({ type }) => type === 'DisruptionAllowed');
  if (condition === undefined) return '';
  const { desiredHealthy = 0, expectedPods = 0, currentHealthy = 0, disruptionsAllowed = 0 } = status ?? {};
  const counts = `${desiredHealthy}/${expectedPods}/${currentHealthy}/${disruptionsAllowed}`;
  return condition['reason'] === 'SyncFailed' ? `${counts} SyncFailed: ${condition['message']}` : counts;
}

/** A status without its times, and with the names only of pods whose eviction was granted. */
export function normalizeStatus(status: AnyObject): AnyObject {
  const { conditions = [], disruptedPods = {}, ...counts } = status;
  return {
    ...counts,
    disruptedPods: Object.keys(disruptedPods as object).toSorted(),
    conditions: (conditions as AnyObject[]).map(({ lastTransitionTime, ...rest }) => ({
      ...rest,
      hasTime: typeof lastTransitionTime === 'string',
    })),
  };
}
