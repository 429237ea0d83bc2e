import { join } from 'node:path';

import { parseAllDocuments } from 'yaml';

import type { KubeObject } from '../../core/meta/kube-object.ts';
import { projectRoot } from '../../tools/run-command.ts';
import { buildHelm } from '../cluster/build-node-program.ts';
import { runProgram } from '../cluster/run-program.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { writeKubeconfig } from '../cluster/write-kubeconfig.ts';

const namespace = 'bailiwick-system';
const release = 'test';
const collections: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};

/** The roles and bindings of a chart whose operator watches nodes. */
async function renderRights(folder: string, domain: string): Promise<KubeObject[]> {
  const values = ['--set', 'nodeLifecycle.enabled=true', '--set', `domain=${domain}`];
  const words = [
    'template',
    release,
    join(projectRoot, 'charts/bailiwick'),
    '--namespace',
    namespace,
    '--kube-version',
    '1.34.4',
    ...values,
  ];
  const text = await runProgram(await buildHelm(), words, { env: { HOME: folder } });
  return parseAllDocuments(text)
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null && object.kind in collections) as KubeObject[];
}

/** Gives the chart's account of the operator its rights in a cluster, and nothing else; the file of a kubeconfig that acts as it. */
export async function actAsOperator(cluster: Cluster, domain: string): Promise<string> {
  const post = async (path: string, body: object): Promise<{ status: { token: string } }> => {
    const answer = await cluster.request('POST', path, { body });
    if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const metadata = { name: namespace };
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  for (const object of await renderRights(cluster.folder, domain)) {
    const place = object.metadata.namespace === undefined ? '' : `/namespaces/${object.metadata.namespace}`;
    await post(`/apis/rbac.authorization.k8s.io/v1${place}/${collections[object.kind]}`, object);
  }
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const name = `${release}-operator`;
  await post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
  const { status } = await post(`${accounts}/${name}/token`, request);
  const file = join(cluster.folder, 'operator.kubeconfig');
  await writeKubeconfig(file, cluster.url, cluster.ca, { token: status.token });
  return file;
}
