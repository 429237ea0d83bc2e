import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { readBudgets } from '../../admission/eviction/budget-source.ts';
import { EvictionQueue } from '../../admission/eviction/eviction-queue.ts';
import { hasReason } from '../../core/errors/status.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { sleep, systemClock } from '../../platform/process/clock.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { openSqliteStore, type SqliteStore } from '../../platform/store/sqlite-store.ts';
import { EmbeddedResources } from '../apiserver/pipeline/embedded-resources.ts';

const user = { username: 'u', groups: [] };
const namespace = 'n';
const pods = { group: '', version: 'v1', resource: 'pods' };
const budgets = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };

/** Writes statuses over whatever is there, as a store would that compares no versions. */
function ignoreVersions(client: ResourceClient): ResourceClient {
  const careless: Pick<ResourceClient, 'update'> = {
    async update<T extends KubeObject>(
      ...[reference, object, options, subresource]: Parameters<ResourceClient['update']>
    ) {
      for (;;) {
        const { resourceVersion = '' } = (await client.get(reference)).metadata;
        const newest = { ...object, metadata: { ...object.metadata, resourceVersion } };
        try {
          return await client.update<T>(reference, newest as T, options, subresource);
        } catch (error) {
          // What is being written is not yet readable.
          if (!hasReason(error, 'Conflict')) throw error;
          await sleep(systemClock, 1);
        }
      }
    },
  };
  return new Proxy(client, {
    get: (target, key) =>
      key === 'update' ? careless.update : (Reflect.get(target, key) as (...words: unknown[]) => unknown).bind(target),
  });
}

describe('200 evictions at once by two replicas over one store', () => {
  let directory: string;
  let store: SqliteStore;
  let resources: EmbeddedResources;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'bailiwick-replicas-'));
    store = await openSqliteStore({ file: join(directory, 'store.db') });
    resources = new EmbeddedResources({ store, registry: buildKindRegistry('k8s.io'), now: () => systemClock.now() });
    const client = resources.clientFor(user);
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const make = async (i: number): Promise<void> => {
      const metadata = { name: `p${i}`, namespace, labels: { app: 'web' } };
      const spec = { containers: [{ name: 'c', image: 'i' }] };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
      const made = await client.create({ resource: pods, namespace }, pod);
      const status = { ...made, status: ready };
      await client.update({ resource: pods, namespace, name: `p${i}` }, status, {}, 'status');
    };
    await Promise.all(Array.from({ length: 200 }, (_, i) => make(i)));
    const budget = {
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b', namespace } },
      spec: { minAvailable: 190, selector: { matchLabels: { app: 'web' } } },
    };
    const made = await client.create({ resource: budgets, namespace }, budget);
    const counts = { disruptionsAllowed: 10, currentHealthy: 200, desiredHealthy: 190, expectedPods: 200 };
    const status = { ...made, status: { observedGeneration: 1, ...counts } };
    await client.update({ resource: budgets, namespace, name: 'b' }, status, {}, 'status');
  }, 120_000);

  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** How many are granted. */
  async function race(client: ResourceClient): Promise<number> {
    const start = (): EvictionQueue =>
      new EvictionQueue({
        ...{ client, budgets: readBudgets(client), clock: systemClock, random: Math.random },
        onFailure: (error) => expect.unreachable(String(error)),
      });
    const [first, second] = [start(), start()];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        (i % 2 === 0 ? first : second).decide(namespace, { podName: `p${i}`, options: {}, dryRun: false }),
      ),
    );
    return answers.filter((answer) => answer.outcome === 'granted').length;
  }

  it('grant as many as the budget allows', async () => {
    expect(await race(resources.clientFor(user))).toBe(10);
    const [budget] = await readBudgets(resources.clientFor(user)).list(namespace);
    expect(budget?.status.disruptionsAllowed).toBe(0);
    expect(Object.keys(budget?.status.disruptedPods ?? {})).toHaveLength(10);
  });

  it('grant more where versions are not compared', async () => {
    expect(await race(ignoreVersions(resources.clientFor(user)))).toBeGreaterThan(10);
  });
});
