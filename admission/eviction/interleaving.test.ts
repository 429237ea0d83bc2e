import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isPodReady } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import { selectBudgets } from '../../kinds/policy/pod-disruption-budget/select-budgets.ts';
import { EvictionScene } from './testdata/eviction-scene.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const numRuns = isSoak ? 15_000 : 1_500;
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Date.now() % 1_000_000_000 : 7_000_000));

type Step =
  | { readonly do: 'evict'; readonly pod: number; readonly replica: number; readonly end: number }
  | { readonly do: 'recount'; readonly budget: number; readonly readsPodsFirst: boolean }
  | { readonly do: 'ready'; readonly pod: number }
  | { readonly do: 'touch'; readonly budget: number }
  | { readonly do: 'wait' };

const podCount = 8;
const budgets = [
  { name: 'all', label: 'all', desiredHealthy: 5 },
  { name: 'even', label: 'even', desiredHealthy: 2 },
  { name: 'low', label: 'low', desiredHealthy: 2, policy: 'AlwaysAllow' },
];

const pods = fc.nat(podCount - 1);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('evict' as const),
      // Two of them are under every budget, and are wanted by everybody.
      pod: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(0, 2) }, { weight: 1, arbitrary: pods }),
      replica: fc.nat(1),
      // Who was granted a pod dies, deletes it at once, or takes its time.
      end: fc.constantFrom(-1, 0, 0, 20, 60),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('recount' as const),
      budget: fc.nat(budgets.length - 1),
      readsPodsFirst: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ready' as const), pod: pods }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('touch' as const), budget: fc.nat(budgets.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
);

function listLabels(i: number): string[] {
  return ['all', ...(i % 2 === 0 ? ['even'] : []), ...(i < 4 ? ['low'] : [])];
}

/** Evicts what can be evicted, with nobody in the way, until nothing more can. */
async function settle(scene: EvictionScene): Promise<void> {
  for (let before = -1; before !== scene.readPods().length;) {
    before = scene.readPods().length;
    // Whatever was charged for nothing has run out then.
    scene.clock.advance(130_000);
    for (const { name } of budgets) await scene.recount(name);
    const replica = scene.startReplica();
    for (const { metadata } of scene.readPods()) {
      await scene.evict(replica, metadata.name ?? '');
      for (const { name } of budgets) await scene.recount(name);
    }
  }
}

interface World {
  readonly scheduler: fc.Scheduler;
  readonly actors: readonly (readonly Step[])[];
  readonly unready: ReadonlySet<number>;
  readonly comparesVersions?: boolean;
}

/** Plays a world; resolves to what went wrong, and to how often a charge was taken back. */
async function play({ scheduler, actors, unready, comparesVersions = true }: World) {
  let isPaced = false;
  const scene = new EvictionScene({
    comparesVersions,
    pause: (verb) => (isPaced ? scheduler.schedule(Promise.resolve(), verb) : Promise.resolve()),
  });
  for (const budget of budgets) await scene.createBudget(budget);
  for (let i = 0; i < podCount; i++) {
    await scene.createPod({ name: `p${i}`, labels: listLabels(i), isReady: !unready.has(i) });
  }
  for (const { name } of budgets) await scene.recount(name);
  const faults: string[] = [];
  let earlier = scene.readPods();
  scene.client.onChange = () => {
    const now = scene.readPods();
    const names = new Set(now.map(({ metadata }) => metadata.name));
    for (const gone of earlier.filter((pod) => isPodReady(pod) && !names.has(pod.metadata.name))) {
      for (const budget of selectBudgets(scene.readBudgets(), gone)) {
        const healthy = scene.countHealthy(budget);
        const wanted = Number(budget.spec.minAvailable);
        if (healthy < wanted)
          faults.push(`${gone.metadata.name} left ${healthy} of ${wanted} to ${budget.metadata.name}`);
      }
    }
    earlier = now;
  };
  const replicas = [scene.startReplica(), scene.startReplica()];
  const act = async (list: readonly Step[]): Promise<void> => {
    for (const step of list) {
      if (step.do === 'evict') {
        const replica = replicas[step.replica];
        if (replica === undefined) continue;
        await scene.evict(replica, `p${step.pod}`, step.end);
      } else if (step.do === 'recount') {
        await scene.recount(budgets[step.budget]?.name ?? '', step.readsPodsFirst);
      } else if (step.do === 'ready') {
        await scene.makeReady(`p${step.pod}`);
      } else if (step.do === 'touch') {
        await scene.touch(budgets[step.budget]?.name ?? '');
      } else {
        scene.clock.advance(700);
      }
    }
  };
  isPaced = true;
  await scheduler.waitFor(Promise.all(actors.map(act)));
  isPaced = false;
  await settle(scene);
  for (const pod of scene.readPods()) {
    const standing = selectBudgets(scene.readBudgets(), pod);
    const isHeld = standing.some((budget) => scene.countHealthy(budget) <= Number(budget.spec.minAvailable));
    if (!isHeld) faults.push(`${pod.metadata.name} could go, and did not`);
  }
  faults.push(...scene.failures.map(String));
  return { faults, swaps: scene.swaps };
}

const worlds = [
  fc.scheduler(),
  fc.array(fc.array(steps, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 8 }),
  fc.uniqueArray(pods, { maxLength: 3 }),
] as const;

describe(`evictions that interleave, seed ${seed}`, () => {
  it(
    'never take from a budget what it does not allow, and in the end all that it does',
    { timeout: 1_800_000 },
    async () => {
      const sums = { stored: 0, outrun: 0, undone: 0 };
      await fc.assert(
        fc.asyncProperty(...worlds, async (scheduler, actors, unready) => {
          const { faults, swaps } = await play({ scheduler, actors, unready: new Set(unready) });
          expect(faults).toEqual([]);
          for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += swaps[key];
        }),
        { numRuns, seed },
      );
      // Where nobody is outrun, everything is easy.
      expect(sums.outrun).toBeGreaterThan(numRuns / 10);
      expect(sums.undone).toBeGreaterThan(numRuns / 30);
    },
  );

  it('would be noticed where a store compares no versions', { timeout: 600_000 }, async () => {
    const noticed = await fc.check(
      fc.asyncProperty(...worlds, async (scheduler, actors, unready) => {
        const world = { scheduler, actors, unready: new Set(unready), comparesVersions: false };
        expect((await play(world)).faults).toEqual([]);
      }),
      { numRuns: 300, seed, endOnFailure: true },
    );
    expect(noticed.failed).toBe(true);
  });
});
