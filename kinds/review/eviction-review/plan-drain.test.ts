import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BudgetPod } from '../../policy/pod-disruption-budget/budget-pod.ts';
import { selectBudgets } from '../../policy/pod-disruption-budget/select-budgets.ts';
import type { PodDisruptionBudget } from '../../policy/pod-disruption-budget/schema.ts';
import { type DrainFacts, planDrain } from './plan-drain.ts';
import { drainWorld, drainWorlds, healAll, listEvictable, evictAll } from './testdata/drain-world.ts';

const nowMillis = Date.UTC(2026, 0, 1);

type Counts = Pick<PodDisruptionBudget['status'], 'currentHealthy' | 'desiredHealthy' | 'expectedPods'>;

function makeBudget(
  name: string,
  spec: PodDisruptionBudget['spec'],
  counts: Counts,
  status: Partial<PodDisruptionBudget['status']> = {},
): PodDisruptionBudget {
  const disruptionsAllowed = Math.max(0, counts.currentHealthy - counts.desiredHealthy);
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'n', generation: 1 },
    spec: { selector: { matchLabels: { app: name } }, ...spec },
    status: { observedGeneration: 1, disruptionsAllowed, ...counts, ...status },
  };
}

interface PodNotes {
  readonly apps?: readonly string[];
  readonly owner?: string;
  readonly isReady?: boolean;
  readonly phase?: string;
  readonly metadata?: Partial<BudgetPod['metadata']>;
  readonly spec?: object;
}

function makePod(
  name: string,
  { apps = ['web'], owner = 'ReplicaSet', isReady = true, ...notes }: PodNotes = {},
): BudgetPod {
  const [app = 'none'] = apps;
  const reference = { apiVersion: 'apps/v1', kind: owner, name: app, uid: app, controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'n',
      labels: { app },
      ...(owner === '' ? {} : { ownerReferences: [reference] }),
      ...notes.metadata,
    },
    ...(notes.spec === undefined ? {} : { spec: notes.spec }),
    status: { phase: notes.phase ?? 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
}

function plan(
  pods: readonly BudgetPod[],
  budgets: readonly PodDisruptionBudget[],
  hasDaemonSet: DrainFacts['hasDaemonSet'] = () => true,
) {
  const listBudgets = (namespace: string) => budgets.filter(({ metadata }) => metadata.namespace === namespace);
  const steps = planDrain({ pods, listBudgets, hasDaemonSet, nowMillis });
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

const brief = (pods: readonly BudgetPod[], budgets: readonly PodDisruptionBudget[]) =>
  plan(pods, budgets).map(({ pod, action, round }) => [pod.metadata.name, action, round]);

const three = [makePod('a'), makePod('b'), makePod('c')];

describe('planDrain', () => {
  it('lets as many go in a round as the budget allows, the next when their replacements are Ready', () => {
    const web = makeBudget('web', { minAvailable: 2 }, { currentHealthy: 4, desiredHealthy: 2, expectedPods: 4 });
    expect(brief(three, [web])).toEqual([
      ['a', 'Evict', 1],
      ['b', 'Evict', 1],
      ['c', 'Evict', 2],
    ]);
  });

  it('lets what no budget selects go at once', () => {
    expect(brief([makePod('x', { apps: ['other'] }), ...three.slice(0, 1)], [])).toEqual([
      ['a', 'Evict', 1],
      ['x', 'Evict', 1],
    ]);
  });

  it('names the pods that never go, and why', () => {
    const web = makeBudget('web', { maxUnavailable: 0 }, { currentHealthy: 3, desiredHealthy: 3, expectedPods: 3 });
    expect(plan(three.slice(0, 1), [web])).toMatchObject([
      {
        action: 'Never',
        budgets: ['web'],
        message: expect.stringMatching(/^the disruption budget web: maxUnavailable is 0: /),
      },
    ]);
    const all = makeBudget('web', { minAvailable: 3 }, { currentHealthy: 3, desiredHealthy: 3, expectedPods: 3 });
    expect(plan(three.slice(0, 1), [all])).toMatchObject([
      { action: 'Never', message: 'the disruption budget web needs 3 healthy pods, and there are to be 3' },
    ]);
  });

  it('says how many healthy pods a pod waits for, and in which round it goes then', () => {
    const web = makeBudget('web', { minAvailable: 3 }, { currentHealthy: 2, desiredHealthy: 3, expectedPods: 4 });
    const message = 'The disruption budget web needs 3 healthy pods and has 2 currently';
    expect(plan(three, [web])).toMatchObject([
      { action: 'Wait', round: 1, healthyNeeded: 2, message },
      { action: 'Wait', round: 2, healthyNeeded: 2, message },
      { action: 'Wait', round: 3, healthyNeeded: 2, message },
    ]);
  });

  it('knows no round where a budget is not counted yet', () => {
    const web = makeBudget(
      'web',
      { minAvailable: 1 },
      { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 },
      {
        observedGeneration: 0,
      },
    );
    const [first] = plan(three, [web]);
    expect(first).toMatchObject({
      action: 'Wait',
      message: 'The disruption budget web is still being processed by the server.',
    });
    expect(first?.round).toBeUndefined();
    expect(first?.healthyNeeded).toBeUndefined();
  });

  it('says so where the pods of a budget cannot be counted', () => {
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const condition = {
      type: 'DisruptionAllowed',
      status: 'False',
      reason: 'SyncFailed',
      message: 'no scale',
      lastTransitionTime,
    };
    const web = makeBudget(
      'web',
      { maxUnavailable: 1 },
      { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
      {
        conditions: [condition],
      },
    );
    expect(plan(three.slice(0, 1), [web])).toMatchObject([
      { action: 'Never', message: 'the pods of the disruption budget web cannot be counted: no scale' },
    ]);
  });

  it('asks every budget of a pod', () => {
    const pod = makePod('a', { metadata: { labels: { app: 'web', db: 'yes' } } });
    const web = makeBudget('web', { minAvailable: 1 }, { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 });
    const db = makeBudget(
      'db',
      { minAvailable: 1, selector: { matchLabels: { db: 'yes' } } },
      {
        ...{ currentHealthy: 0, desiredHealthy: 1, expectedPods: 2 },
      },
    );
    expect(plan([pod], [web, db])).toMatchObject([
      { action: 'Wait', round: 1, budgets: ['db', 'web'], healthyNeeded: 2 },
    ]);
  });

  it('lets pods without a controller go after those that are replaced', () => {
    const web = makeBudget('web', { minAvailable: 1 }, { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 });
    const bare = makePod('a', { owner: '' });
    expect(brief([bare, makePod('b'), makePod('c')], [web])).toEqual([
      ['b', 'Evict', 1],
      ['c', 'Evict', 1],
      ['a', 'Evict', 2],
    ]);
  });

  it('keeps the last of the pods that nobody replaces', () => {
    const web = makeBudget('web', { minAvailable: 2 }, { currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 });
    const bare = ['a', 'b', 'c'].map((name) => makePod(name, { owner: '' }));
    expect(brief(bare, [web])).toEqual([
      ['a', 'Evict', 1],
      ['b', 'Never', undefined],
      ['c', 'Never', undefined],
    ]);
  });

  it('evicts pods that are not healthy as their policy says', () => {
    const counts = { currentHealthy: 1, desiredHealthy: 2, expectedPods: 3 };
    const sick = makePod('a', { isReady: false });
    const always = makeBudget('web', { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, counts);
    expect(brief([sick, makePod('b')], [always])).toEqual([
      ['a', 'Evict', 1],
      ['b', 'Wait', 2],
    ]);
    const healthy = makeBudget('web', { minAvailable: 2 }, counts);
    expect(plan([sick], [healthy])).toMatchObject([{ action: 'Wait', healthyNeeded: 1 }]);
  });

  it('counts the replacement of a pod that is going already', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:30Z' };
    const going = makePod('a', { owner: 'StatefulSet', metadata });
    const web = makeBudget('web', { minAvailable: 2 }, { currentHealthy: 2, desiredHealthy: 2, expectedPods: 3 });
    expect(brief([going, makePod('b', { owner: 'StatefulSet' })], [web])).toEqual([
      ['a', 'Terminating', 1],
      ['b', 'Evict', 2],
    ]);
    // A replica set has made the replacement when it saw the pod go: that one is not healthy yet.
    const early = makeBudget('web', { minAvailable: 2 }, { currentHealthy: 2, desiredHealthy: 2, expectedPods: 4 });
    expect(brief([makePod('a', { metadata }), makePod('b')], [early])).toEqual([
      ['a', 'Terminating', 1],
      ['b', 'Wait', 2],
    ]);
  });

  it('does not charge twice for a pod whose eviction was granted', () => {
    const grants = { a: new Date(nowMillis).toISOString() };
    const web = makeBudget(
      'web',
      { minAvailable: 2 },
      { currentHealthy: 2, desiredHealthy: 2, expectedPods: 3 },
      {
        disruptedPods: grants,
      },
    );
    expect(brief([makePod('a'), makePod('b')], [web])).toEqual([
      ['a', 'Evict', 1],
      ['b', 'Evict', 2],
    ]);
  });

  it.for([
    ['a pod of a DaemonSet', { owner: 'DaemonSet' }, 'Ignore', ['--ignore-daemonsets']],
    ['a finished pod of a DaemonSet', { owner: 'DaemonSet', phase: 'Failed' }, 'Evict', []],
    [
      'a mirror pod',
      { owner: 'Node', metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
      'Ignore',
      [],
    ],
    ['a pod without a controller', { owner: '' }, 'Evict', ['--force']],
    ['a finished pod without a controller', { owner: '', phase: 'Succeeded' }, 'Evict', []],
    [
      'a pod with local storage',
      { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      'Evict',
      ['--delete-emptydir-data'],
    ],
  ] as const)('treats %s as kubectl drain does', ([, notes, action, drainOptions]) => {
    expect(plan([makePod('a', notes as PodNotes)], [])).toMatchObject([{ action, drainOptions }]);
  });

  it('has pods of a DaemonSet that is gone evicted by force', () => {
    expect(plan([makePod('a', { owner: 'DaemonSet' })], [], () => false)).toMatchObject([
      { action: 'Evict', drainOptions: ['--force'] },
    ]);
  });

  it.for([1, 1_000])('pauses often with a thousand pods of which %d may be missing', (maxUnavailable) => {
    const pods = Array.from({ length: 1_000 }, (_, i) => makePod(`p-${i}`));
    const counts = { currentHealthy: 1_000, desiredHealthy: 1_000 - maxUnavailable, expectedPods: 1_000 };
    const web = makeBudget('web', { maxUnavailable }, counts);
    const steps = planDrain({ pods, listBudgets: () => [web], hasDaemonSet: () => false, nowMillis });
    for (let pauses = 0; ; pauses += 1) {
      const { done, value } = steps.next();
      if (done !== true) continue;
      expect(value.at(-1)?.round).toBe(1_000 / maxUnavailable);
      // At least one a pod that is sorted out, one a pod that is evicted, one a round.
      expect(pauses).toBeGreaterThanOrEqual(2_000 + 1_000 / maxUnavailable);
      return;
    }
  });

  it('pauses at each pod that nobody lets go', () => {
    const pods = Array.from({ length: 100 }, (_, i) => makePod(`p-${i}`, { apps: ['web'] }));
    const counts = { currentHealthy: 100, desiredHealthy: 100, expectedPods: 100 };
    const budgets = Array.from({ length: 50 }, (_, i) =>
      makeBudget(`web-${i}`, { maxUnavailable: 0, selector: {} }, counts),
    );
    const steps = planDrain({ pods, listBudgets: () => budgets, hasDaemonSet: () => false, nowMillis });
    let pauses = 0;
    for (; steps.next().done !== true; pauses += 1);
    // When it is sorted out, asked whether it is free, judged, hoped for, and given up.
    expect(pauses).toBeGreaterThanOrEqual(500);
  });
});

describe('a planned drain', () => {
  const numRuns = process.env['BAILIWICK_SOAK'] === '1' ? 10_000 : 1_000;
  const timeout = 600_000;
  const planWorld = (world: ReturnType<typeof drainWorld>) => plan(world.nodePods, world.budgets);

  it('goes through, round by round, with budgets that are counted as the controller counts them', { timeout }, () => {
    fc.assert(
      fc.property(drainWorlds, (facts) => {
        let world = drainWorld(facts, nowMillis);
        const planned = planWorld(world).filter(({ action }) => action === 'Evict');
        for (let round = 1; planned.some((one) => (one.round ?? 0) >= round); round += 1) {
          const names = planned.filter((one) => one.round === round).map(({ pod }) => pod.metadata.name ?? '');
          const { refused, next } = evictAll(world, names, nowMillis);
          expect(refused).toEqual([]);
          world = next;
        }
      }),
      { numRuns },
    );
  });

  it('empties the node when any order does', { timeout }, () => {
    fc.assert(
      fc.property(drainWorlds, (facts) => {
        const world = drainWorld(facts, nowMillis);
        const isPlanned = planWorld(world).every(({ action }) => action === 'Evict');
        const seen = new Set<string>();
        const canEmpty = (from: typeof world): boolean => {
          const key = from.nodePods.map(({ metadata }) => metadata.name).join(' ');
          if (seen.has(key)) return false;
          seen.add(key);
          if (from.nodePods.length === 0) return true;
          return listEvictable(from, nowMillis).some((name) => canEmpty(evictAll(from, [name], nowMillis).next));
        };
        expect(isPlanned).toBe(canEmpty(world));
      }),
      { numRuns },
    );
  });

  it('gives a pod up only when it cannot go with every pod healthy', { timeout }, () => {
    fc.assert(
      fc.property(drainWorlds, (facts) => {
        let world = drainWorld(facts, nowMillis);
        const planned = planWorld(world);
        const names = (round: number): string[] =>
          planned
            .filter((one) => one.action === 'Evict' && one.round === round)
            .map(({ pod }) => pod.metadata.name ?? '');
        for (let round = 1; names(round).length > 0; round += 1) world = evictAll(world, names(round), nowMillis).next;
        const never = planned.filter(({ action }) => action === 'Never').map(({ pod }) => pod.metadata.name ?? '');
        const healed = healAll(world, nowMillis);
        const isWaiting = planned.some(({ action }) => action === 'Wait');
        // A share counts what controllers want, and so says nothing of the pods that have none.
        const isMixed = world.budgets.some(
          (budget) =>
            typeof budget.spec.minAvailable !== 'number' &&
            [...world.nodePods, ...world.otherPods].some(
              (pod) => pod.metadata.ownerReferences === undefined && selectBudgets([budget], pod).length > 0,
            ),
        );
        fc.pre(!isWaiting && !isMixed);
        expect(listEvictable(healed, nowMillis).filter((name) => never.includes(name))).toEqual([]);
      }),
      { numRuns },
    );
  });
});
