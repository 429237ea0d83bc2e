import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { MemoryClient } from '../quota/testdata/memory-client.ts';
import { answerEvictionReview } from './answer-eviction-review.ts';
import type { ReviewCall, ReviewedEvictions, ReviewServices } from './review-services.ts';

type Listed = readonly [plural: string, namespace: string | undefined];

function makeBudget(namespace: string, maxUnavailable: number, expectedPods = 3): PodDisruptionBudget {
  const desiredHealthy = expectedPods - maxUnavailable;
  return {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web', namespace, generation: 1 } },
    spec: { maxUnavailable, selector: { matchLabels: { app: 'web' } } },
    status: {
      ...{ observedGeneration: 1, disruptionsAllowed: maxUnavailable },
      ...{ currentHealthy: expectedPods, desiredHealthy, expectedPods },
    },
  };
}

/** Pods of `web` on one node, and whom the review asks what. */
async function openScene(counts: Readonly<Record<string, number>>, budgets: readonly PodDisruptionBudget[] = []) {
  const client = new MemoryClient();
  const pods = { resource: { group: '', version: 'v1', resource: 'pods' } };
  for (const [namespace, count] of Object.entries(counts)) {
    for (let i = 0; i < count; i += 1) {
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true };
      await client.create({ ...pods, namespace }, {
        ...{ apiVersion: 'v1', kind: 'Pod' },
        metadata: { name: `p-${i}`, namespace, labels: { app: 'web' }, ownerReferences: [owner] },
        spec: { nodeName: 'one' },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      } as KubeObject);
    }
  }
  const asked: Listed[] = [];
  const ask = async (
    spec: object,
    mayList: (plural: string, namespace: string | undefined) => boolean = () => true,
    change: Partial<ReviewServices> = {},
  ) => {
    const evictions: ReviewedEvictions = {
      client,
      budgets: { list: async (namespace) => budgets.filter(({ metadata }) => metadata.namespace === namespace) },
      async mayListObjects(_user, plural, namespace) {
        asked.push([plural, namespace]);
        return mayList(plural, namespace);
      },
    };
    const services = {
      clock: { now: () => 0 },
      isEnforced: () => true,
      evictions,
      ...change,
    } as unknown as ReviewServices;
    const review = { apiVersion: 'review.bailiwick.dev/v1', kind: 'EvictionReview', metadata: {}, spec };
    const call = { namespace: 'a', review, user: { username: 'ann', groups: [] } } as unknown as ReviewCall;
    return (await answerEvictionReview(services, call))['status'];
  };
  return { client, ask, asked };
}

describe('a review of evictions', () => {
  it('looks at no more than a thousand pods of a node', async () => {
    const { ask } = await openScene({ a: 1_001 });
    await expect(ask({ node: 'one' })).rejects.toMatchObject({
      status: {
        code: 422,
        message:
          'EvictionReview.review.bailiwick.dev "" is invalid: spec.node: Invalid value: "one": must have no more than 1000 pods',
      },
    });
  });

  it('looks at no more than so many pairs of a pod and a budget', async () => {
    const budgets = Array.from({ length: 1_001 }, (_, i): PodDisruptionBudget => {
      const budget = makeBudget('a', 0);
      return { ...budget, metadata: { ...budget.metadata, name: `web-${i}` } };
    });
    const refused = await openScene({ a: 10 }, budgets);
    await expect(refused.ask({ node: 'one' })).rejects.toMatchObject({
      status: {
        code: 422,
        message:
          'EvictionReview.review.bailiwick.dev "" is invalid: spec.node: Invalid value: "one": must have no more than 10000 pairs of a pod and a budget that selects it',
      },
    });
    const answered = await openScene({ a: 10 }, budgets.slice(1));
    expect(await answered.ask({ node: 'one' })).toMatchObject({ allowed: false, matching: 1_000 });
  });

  it('lets others have their turn while it plays a long drain', async () => {
    const { ask } = await openScene({ a: 1_000 }, [makeBudget('a', 1, 1_000)]);
    let isOver = false;
    let turns = 0;
    const count = (): void => {
      if (isOver) return;
      turns += 1;
      setImmediate(count);
    };
    setImmediate(count);
    expect(await ask({ node: 'one' })).toMatchObject({ allowed: true, rounds: 1_000, matching: 1 });
    isOver = true;
    expect(turns).toBeGreaterThan(3);
  });

  it('asks once whoever may list everywhere, and others for each namespace', async () => {
    const { ask, asked } = await openScene({ a: 1, b: 1 });
    await ask({ node: 'one' });
    expect(asked).toEqual([
      ['pods', undefined],
      ['poddisruptionbudgets', undefined],
    ]);
    asked.length = 0;
    const answer = await ask({ node: 'one' }, (plural, namespace) => plural === 'pods' && namespace === 'b');
    expect(answer).toMatchObject({ pods: [{ namespace: 'b', name: 'p-0' }], unnamed: { evict: 1 } });
    expect(asked).toHaveLength(6);
  });

  it('leaves out the budgets of namespaces in which nothing binds', async () => {
    const { ask } = await openScene({ a: 1, b: 1 }, [makeBudget('a', 0), makeBudget('b', 0)]);
    const isEnforced = (namespace: string): boolean => namespace === 'b';
    expect(await ask({ node: 'one' }, undefined, { isEnforced })).toMatchObject({
      ...{ allowed: false, enforced: true, matching: 1 },
      pods: [
        { namespace: 'a', action: 'Evict' },
        { namespace: 'b', action: 'Never' },
      ],
    });
    expect(await ask({ pod: 'p-0' }, undefined, { isEnforced })).toMatchObject({
      ...{ allowed: true, enforced: false, budgets: [{ allows: false }] },
    });
  });

  it('tells those who may not list budgets that one is in the way, and not which', async () => {
    const { ask } = await openScene({ a: 1 }, [makeBudget('a', 0)]);
    const answer = JSON.stringify(await ask({ node: 'one' }, (plural) => plural === 'pods'));
    expect(answer).toContain('a disruption budget of the namespace stands in the way');
    expect(answer).not.toContain('web');
  });

  it('is refused to those who may not list pods, whether there is one or not', async () => {
    const { ask } = await openScene({ a: 1 });
    for (const pod of ['p-0', 'gone']) {
      await expect(ask({ pod }, () => false)).rejects.toMatchObject({ status: { code: 403 } });
    }
  });

  it('is told apart where the daemon set of a pod is gone', async () => {
    const { client, ask } = await openScene({});
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'agent', controller: true };
    const pods = { resource: { group: '', version: 'v1', resource: 'pods' }, namespace: 'a' };
    const metadata = { name: 'agent-0', namespace: 'a', ownerReferences: [owner] };
    await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata });
    expect(await ask({ node: 'one' })).toMatchObject({ pods: [{ action: 'Evict', drainOptions: ['--force'] }] });
    const sets = { resource: { group: 'apps', version: 'v1', resource: 'daemonsets' }, namespace: 'a' };
    const set = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent', namespace: 'a' } };
    await client.create(sets, set);
    expect(await ask({ node: 'one' })).toMatchObject({
      pods: [{ action: 'Ignore', drainOptions: ['--ignore-daemonsets'] }],
    });
  });
});
