import { expect } from 'vitest';

import type { NodeCluster } from '../cluster/node-cluster.ts';
import { waitUntil } from '../cluster/wait-until.ts';
import { makePod } from './release-cluster.ts';

const crews = {
  metadata: { name: 'crews.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'crews', singular: 'crew', kind: 'Crew' } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
              status: { type: 'object', properties: { replicas: { type: 'integer' } } },
            },
          },
        },
        subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      },
    ],
  },
};

/**
 * Runs three pods of the label `app: kept`, one each of a Deployment, a StatefulSet (`kept-set-0`) and a ReplicationController; a pod `crew` of a kind
 * that users defined; and a DaemonSet. Resolves when the pods are Ready.
 */
export async function startKeptPods(cluster: NodeCluster, namespace: string): Promise<void> {
  const create = async (path: string, body: object) => {
    const answer = await cluster.request('POST', path, { body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body;
  };
  const { spec } = makePod('main');
  const makeSpec = (app: string, more: object = {}): object => ({
    ...{ selector: { matchLabels: { app } }, template: { metadata: { labels: { app } }, spec } },
    ...more,
  });
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  await create(`${apps}/deployments`, { metadata: { name: 'kept' }, spec: makeSpec('kept', { replicas: 1 }) });
  await create(`${apps}/statefulsets`, {
    metadata: { name: 'kept-set' },
    spec: makeSpec('kept', { replicas: 1, serviceName: 'kept' }),
  });
  await create(`/api/v1/namespaces/${namespace}/replicationcontrollers`, {
    metadata: { name: 'kept-old' },
    spec: makeSpec('kept', { replicas: 1, selector: { app: 'kept' } }),
  });
  await create(`${apps}/daemonsets`, { metadata: { name: 'daemon' }, spec: makeSpec('daemon') });
  await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crews);
  const path = `/apis/example.com/v1/namespaces/${namespace}/crews`;
  const body = { apiVersion: 'example.com/v1', kind: 'Crew', metadata: { name: 'crew' }, spec: { replicas: 1 } };
  let uid = '';
  await waitUntil('the kind to be served', async () => {
    const answer = await cluster.request('POST', path, { body });
    uid = String(answer.body.metadata?.uid ?? '');
    return answer.status === 201;
  });
  const owner = { apiVersion: 'example.com/v1', kind: 'Crew', name: 'crew', uid, controller: true };
  await create(`/api/v1/namespaces/${namespace}/pods`, {
    ...makePod('crew'),
    metadata: { name: 'crew', labels: { app: 'crew' }, ownerReferences: [owner] },
  });
  await waitUntil('the pods to be Ready', async () => {
    const { body: pods } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/pods`);
    const ready = (pods.items as { status: { conditions?: { type: string; status: string }[] } }[]).filter(
      ({ status }) => status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true,
    );
    return ready.length === 5;
  });
}
