import type { Cluster } from '../../test/cluster/start-cluster.ts';

export const domain = 'bailiwick.dev';

/** One way to admit pods: a namespace of a cluster, and the processes that answer for it beside the API server. */
export interface Subject {
  readonly name: string;
  readonly namespace: string;
  readonly cluster: Cluster;
  /** Whose processor time and memory count. */
  readonly pids: readonly number[];
}

const limits = [
  {
    type: 'Container',
    default: { cpu: '500m', memory: '256Mi' },
    defaultRequest: { cpu: '100m', memory: '128Mi' },
    max: { cpu: '2', memory: '4Gi' },
  },
];
const hard = { pods: '1000000', 'requests.cpu': '1000000', 'requests.memory': '1000000Gi' };

/** Makes a request that the cluster must not refuse; throws with the answer when it does. */
export async function requestOk(
  cluster: Cluster,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const answer = await cluster.request(method, path, { ...(body === undefined ? {} : { body }), headers });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Makes a namespace with a limit range and, where asked, a quota of the group `apiVersion`; the quota is too large to run out. */
export async function governNamespace(
  cluster: Cluster,
  namespace: string,
  apiVersion: string,
  hasQuota: boolean,
): Promise<void> {
  await requestOk(cluster, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const prefix = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const path = (plural: string): string => `${prefix}/namespaces/${namespace}/${plural}`;
  const range = { apiVersion, kind: 'LimitRange', metadata: { name: 'sizes' }, spec: { limits } };
  await requestOk(cluster, 'POST', path('limitranges'), range);
  if (!hasQuota) return;
  const quota = { apiVersion, kind: 'ResourceQuota', metadata: { name: 'compute' }, spec: { hard } };
  await requestOk(cluster, 'POST', path('resourcequotas'), quota);
  if (apiVersion !== 'v1') return;
  // No controller of the host's runs here; admission needs a status to count on.
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  const headers = { 'content-type': 'application/merge-patch+json' };
  await requestOk(cluster, 'PATCH', `${path('resourcequotas')}/compute/status`, { status: { hard, used } }, headers);
}
