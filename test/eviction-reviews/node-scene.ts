import { expect } from 'vitest';

import { waitUntil } from '../cluster/wait-until.ts';

/** An answer, however it came in. */
export interface SceneAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind, looked into by tests
  readonly json: any;
}

/** Sends a request as whoever may do everything. */
export type SendRequest = (method: string, path: string, body?: object) => Promise<SceneAnswer>;

/** A node with pods of every sort, and budgets that are counted. */
export interface NodeScene {
  /** Makes a pod that runs on `node`. */
  addPod(name: string, more: ScenePod): Promise<void>;
  /** Waits until a budget is counted so. */
  awaitCounts(budget: string, disruptionsAllowed: number, currentHealthy: number): Promise<void>;
}

/** What is special about a pod. */
export interface ScenePod {
  readonly namespace?: string;
  readonly node?: string;
  readonly app?: string;
  /** Absent: nobody controls it. */
  readonly owner?: { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: string };
  readonly isReady?: boolean;
  readonly annotations?: Record<string, string>;
  readonly volumes?: readonly object[];
}

/** Namespaces of the scene. */
const sceneNamespaces = ['team', 'system'] as const;

const template = (app: string): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image: 'main:1' }] },
});

/**
 * Node `one` has, in `team`: three of four pods of a replica set, of which three must be there; one of two pods of a stateful set whose other one is
 * not healthy; the only pod of a replica set that must be there; two pods of nobody. In `system`: a pod of a daemon set and a mirror pod.
 */
export async function buildNodeScene(send: SendRequest, budgetApiVersion: string): Promise<NodeScene> {
  const budgets = `/apis/${budgetApiVersion}/namespaces/team/poddisruptionbudgets`;
  const create = async (path: string, body: object) => {
    const answer = await send('POST', path, body);
    expect(answer.status, JSON.stringify(answer.json)).toBe(201);
    return answer.json;
  };
  const own = async (kind: string, plural: string, namespace: string, name: string, replicas?: number) => {
    const spec = {
      selector: { matchLabels: { app: name } },
      template: template(name),
      ...(replicas === undefined ? {} : { replicas }),
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
    };
    const { metadata } = await create(`/apis/apps/v1/namespaces/${namespace}/${plural}`, { metadata: { name }, spec });
    return { apiVersion: 'apps/v1', kind, name, uid: String(metadata.uid) };
  };
  const scene: NodeScene = {
    async addPod(name, { namespace = 'team', node = 'one', app = name, owner, isReady = true, annotations, volumes }) {
      const path = `/api/v1/namespaces/${namespace}/pods`;
      await create(path, {
        metadata: {
          ...{ name, labels: { app } },
          ...(annotations === undefined ? {} : { annotations }),
          ...(owner === undefined ? {} : { ownerReferences: [{ ...owner, controller: true }] }),
        },
        spec: {
          nodeName: node,
          containers: [{ name: 'main', image: 'main:1' }],
          ...(volumes === undefined ? {} : { volumes }),
        },
      });
      const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
      const { json } = await send('GET', `${path}/${name}`);
      const written = await send('PUT', `${path}/${name}/status`, {
        ...json,
        status: { phase: 'Running', conditions },
      });
      expect(written.status, JSON.stringify(written.json)).toBe(200);
    },
    async awaitCounts(budget, disruptionsAllowed, currentHealthy) {
      await waitUntil(`the budget ${budget} to be counted`, async () => {
        const { metadata, status } = (await send('GET', `${budgets}/${budget}`)).json;
        const isObserved = status?.observedGeneration === metadata.generation;
        return (
          isObserved && status.disruptionsAllowed === disruptionsAllowed && status.currentHealthy === currentHealthy
        );
      });
    },
  };
  for (const name of sceneNamespaces) await create('/api/v1/namespaces', { metadata: { name } });
  for (const name of ['one', 'two']) await create('/api/v1/nodes', { metadata: { name } });
  const web = await own('ReplicaSet', 'replicasets', 'team', 'web', 4);
  for (const i of [0, 1, 2, 3]) await scene.addPod(`web-${i}`, { app: 'web', owner: web, node: i < 3 ? 'one' : 'two' });
  const db = await own('StatefulSet', 'statefulsets', 'team', 'db', 2);
  await scene.addPod('db-0', { app: 'db', owner: db });
  await scene.addPod('db-1', { app: 'db', owner: db, node: 'two', isReady: false });
  const only = await own('ReplicaSet', 'replicasets', 'team', 'only', 1);
  await scene.addPod('only-0', { app: 'only', owner: only });
  await scene.addPod('tool', { volumes: [{ name: 'scratch', emptyDir: {} }] });
  await scene.addPod('loose', {});
  const agent = await own('DaemonSet', 'daemonsets', 'system', 'agent');
  await scene.addPod('agent-0', { namespace: 'system', app: 'agent', owner: agent });
  await scene.addPod('mirror-0', { namespace: 'system', annotations: { 'kubernetes.io/config.mirror': 'x' } });
  const limit = (name: string, spec: object) =>
    create(budgets, {
      ...{ apiVersion: budgetApiVersion, kind: 'PodDisruptionBudget', metadata: { name } },
      spec: { selector: { matchLabels: { app: name } }, ...spec },
    });
  await limit('web', { minAvailable: 3 });
  await limit('db', { maxUnavailable: 1 });
  await limit('only', { minAvailable: 1 });
  await scene.awaitCounts('web', 1, 4);
  await scene.awaitCounts('db', 0, 1);
  await scene.awaitCounts('only', 0, 1);
  return scene;
}

const waits = 'The disruption budget db needs 1 healthy pods and has 1 currently';

/** What a review says of node `one` to whoever may see everything. */
export const sceneAnswer = {
  allowed: false,
  enforced: true,
  reason: '1 pod has to wait, 1 pod can never go',
  matching: 3,
  rounds: 4,
  pods: [
    { namespace: 'team', name: 'loose', action: 'Evict', round: 1, drainOptions: ['--force'] },
    {
      ...{ namespace: 'team', name: 'tool', action: 'Evict', round: 1 },
      drainOptions: ['--delete-emptydir-data', '--force'],
    },
    { namespace: 'team', name: 'web-0', action: 'Evict', round: 1, budgets: ['web'] },
    { namespace: 'team', name: 'web-1', action: 'Evict', round: 2, budgets: ['web'] },
    { namespace: 'team', name: 'web-2', action: 'Evict', round: 3, budgets: ['web'] },
    {
      ...{ namespace: 'team', name: 'db-0', action: 'Wait', round: 4, budgets: ['db'] },
      ...{ healthyNeeded: 1, message: waits },
    },
    {
      ...{ namespace: 'team', name: 'only-0', action: 'Never', budgets: ['only'] },
      message: 'the disruption budget only needs 1 healthy pods, and there are to be 1',
    },
    {
      ...{ namespace: 'system', name: 'agent-0', action: 'Ignore', drainOptions: ['--ignore-daemonsets'] },
      message: 'a pod of a DaemonSet, which would come back to the node',
    },
    {
      ...{ namespace: 'system', name: 'mirror-0', action: 'Ignore' },
      message: 'a mirror pod, which only the node itself can remove',
    },
  ],
};
