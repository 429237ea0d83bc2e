import { expect } from 'vitest';

import { waitUntil } from '../cluster/wait-until.ts';
import { followPods, isServing } from './follow-pods.ts';
import { startDrain } from './start-drain.ts';

/** A cluster with a node to drain. `request` acts as an administrator, and its answer has the object as one or the other. */
export interface DrainScene {
  readonly kubeconfig: string;
  request(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Record<string, string> },
  ): Promise<{ readonly status: number; readonly json?: unknown; readonly body?: unknown }>;
  /** Group and version of the budgets that are to be respected. */
  readonly budgetVersion: string;
  /** The node that all pods start on, and the one that they move to. */
  readonly from: string;
  readonly to: string;
  /** What the pods' one container runs. */
  readonly container: { readonly image: string; readonly command?: readonly string[] };
  readonly tolerations?: readonly object[];
  /** Lets the other node take pods. */
  makeRoom(): Promise<void>;
}

const namespace = 'drained';
const labels = { app: 'drained' };
const replicas = 3;
const timeoutSeconds = 240;
const refusal = /error when evicting pods\/"(\S+)" -n "drained" \(will retry after 5s\): (.*)/g;
const exhausted = "Cannot evict pod as it would violate the pod's disruption budget.";

interface BudgetStatus {
  readonly currentHealthy?: number;
  readonly disruptionsAllowed?: number;
  readonly observedGeneration?: number;
}

function listRefusals(output: string): { pod: string; message: string }[] {
  return [...output.matchAll(refusal)].map(([, pod = '', message = '']) => ({ pod, message }));
}

/**
 * Drains a node of three pods while their budget allows no disruption, then one, while there is no room for a replacement, and then makes
 * room. Expects that each pod leaves when the budget allows it and none before, at any revision, and that the drain then ends by itself.
 */
export async function expectDrainWithinBudget(scene: DrainScene): Promise<void> {
  const send = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await scene.request(method, path, { body, ...(headers === undefined ? {} : { headers }) });
    const object = answer.json ?? answer.body;
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(object)}`);
    return object as Record<string, unknown>;
  };
  const budget = `/apis/${scene.budgetVersion}/namespaces/${namespace}/poddisruptionbudgets/drained`;
  const awaitBudget = (currentHealthy: number, disruptionsAllowed: number): Promise<void> =>
    waitUntil(`a budget of ${disruptionsAllowed} with ${currentHealthy} healthy`, async () => {
      const { metadata, status } = await send('GET', budget);
      const { generation } = metadata as { generation: number };
      const now = (status ?? {}) as BudgetStatus;
      const isCounted = now.observedGeneration === generation && now.currentHealthy === currentHealthy;
      return isCounted && now.disruptionsAllowed === disruptionsAllowed;
    });
  await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const followed = await followPods(scene.kubeconfig, namespace);
  try {
    await send('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, {
      metadata: { name: 'drained' },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            terminationGracePeriodSeconds: 0,
            containers: [{ name: 'main', ...scene.container }],
            tolerations: scene.tolerations ?? [],
          },
        },
      },
    });
    await send('POST', budget.slice(0, -'/drained'.length), {
      ...{ apiVersion: scene.budgetVersion, kind: 'PodDisruptionBudget', metadata: { name: 'drained' } },
      spec: { minAvailable: replicas, selector: { matchLabels: labels } },
    });
    await awaitBudget(replicas, 0);
    await waitUntil('the pods to be seen', async () => followed.pods.filter(isServing).length === replicas);
    expect(followed.pods.map(({ spec }) => spec?.nodeName)).toEqual([scene.from, scene.from, scene.from]);

    const first = followed.pods.map(({ metadata }) => metadata.uid ?? '');
    const isOld = ({ metadata }: { metadata: { uid?: string } }): boolean => first.includes(metadata.uid ?? '');
    followed.startCounting();
    const drain = await startDrain(scene.kubeconfig, scene.from, 'app=drained', timeoutSeconds);
    try {
      const awaitRefusals = (count: number, since: number): Promise<void> =>
        waitUntil(`${count} refusals`, async () => listRefusals(drain.readOutput().slice(since)).length >= count);
      await awaitRefusals(replicas, 0);
      expect(followed.pods.filter(isServing)).toHaveLength(replicas);
      expect(followed.readyCounts.every((count) => count === replicas)).toBe(true);

      const mergePatch = { 'content-type': 'application/merge-patch+json' };
      await send('PATCH', budget, { spec: { minAvailable: replicas - 1 } }, mergePatch);
      await waitUntil('one pod to leave', async () => followed.pods.filter(isOld).length === replicas - 1);
      await awaitBudget(replicas - 1, 0);
      // The others are refused as long as nothing takes the place of the first.
      await awaitRefusals(replicas - 1, drain.readOutput().length);
      expect(followed.pods.filter(isOld).filter(isServing)).toHaveLength(replicas - 1);

      await scene.makeRoom();
      expect(await drain.ended, drain.readOutput()).toBe(0);
      expect(drain.readOutput()).toMatch(new RegExp(`node/${scene.from} drained\\s*$`));
      for (const { message } of listRefusals(drain.readOutput())) expect(message).toContain(exhausted);
      await waitUntil('three pods on the other node', async () => {
        const { pods } = followed;
        return pods.length === replicas && pods.every((pod) => isServing(pod) && pod.spec?.nodeName === scene.to);
      });
      expect(Math.min(...followed.readyCounts)).toBe(replicas - 1);
      process.stdout.write(`${drain.readOutput()}ready after every change: ${followed.readyCounts.join(' ')}\n`);
    } finally {
      await drain.stop();
    }
  } finally {
    await followed.stop();
  }
}
