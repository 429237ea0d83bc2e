import fc from 'fast-check';
import type { BudgetPod } from '../../../policy/pod-disruption-budget/budget-pod.ts';
import { findControllerReference } from '../../../policy/pod-disruption-budget/budget-pod.ts';
import { chargeBudget } from '../../../policy/pod-disruption-budget/charge-budget.ts';
import { countExpectedPods } from '../../../policy/pod-disruption-budget/count-expected-pods.ts';
import { planBudgetStatus } from '../../../policy/pod-disruption-budget/plan-budget-status.ts';
import { planEviction } from '../../../policy/pod-disruption-budget/plan-eviction.ts';
import { selectBudgets } from '../../../policy/pod-disruption-budget/select-budgets.ts';
import type { PodDisruptionBudget } from '../../../policy/pod-disruption-budget/schema.ts';

interface PodFacts {
  /** Which of the two budgets select it. */
  readonly marks: readonly ('x' | 'y')[];
  readonly controller: 'first' | 'second' | undefined;
  readonly isReady: boolean;
}

interface WorldFacts {
  readonly here: readonly PodFacts[];
  readonly elsewhere: readonly PodFacts[];
  readonly budgets: readonly PodDisruptionBudget['spec'][];
}

/** Pods on a node and elsewhere, and budgets that are counted of them. */
export interface DrainWorld {
  readonly nodePods: readonly BudgetPod[];
  readonly otherPods: readonly BudgetPod[];
  readonly budgets: readonly PodDisruptionBudget[];
  /** How many pods each controller wants. */
  readonly replicas: Readonly<Record<string, number>>;
}

const podFacts: fc.Arbitrary<PodFacts> = fc.record({
  marks: fc.subarray(['x', 'y'] as const),
  controller: fc.constantFrom('first', 'first', 'second', undefined),
  isReady: fc.constantFrom(true, true, true, false),
});
const budgetSpec: fc.Arbitrary<PodDisruptionBudget['spec']> = fc
  .tuple(
    fc.oneof(
      fc.nat(4).map((minAvailable) => ({ minAvailable })),
      fc.constantFrom('50%', '75%', '100%').map((minAvailable) => ({ minAvailable })),
      fc.nat(2).map((maxUnavailable) => ({ maxUnavailable })),
    ),
    fc.constantFrom({}, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
  )
  .map(([amount, policy]) => ({ ...amount, ...policy }));

/** What worlds are made of. */
export const drainWorlds: fc.Arbitrary<WorldFacts> = fc.record({
  here: fc.array(podFacts, { minLength: 1, maxLength: 5 }),
  elsewhere: fc.array(podFacts, { maxLength: 4 }),
  budgets: fc.array(budgetSpec, { minLength: 1, maxLength: 2 }),
});

function makePod(name: string, { marks, controller, isReady }: PodFacts): BudgetPod {
  const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: controller ?? '', uid: controller ?? '', controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name, namespace: 'n', labels: Object.fromEntries(marks.map((mark) => [mark, 'yes'])) },
      ...(controller === undefined ? {} : { ownerReferences: [reference] }),
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
}

/** Counts the budgets as their controller does. */
function recount(world: DrainWorld, nowMillis: number): DrainWorld {
  const all = [...world.nodePods, ...world.otherPods];
  const known = new Map(Object.entries(world.replicas).map(([uid, replicas]) => [uid, { uid, replicas }]));
  const budgets = world.budgets.map((budget) => {
    const pods = all.filter((pod) => selectBudgets([budget], pod).length > 0);
    const answer = countExpectedPods(budget.spec, pods, known);
    if (!('counted' in answer)) throw new Error('the scale of every controller is known');
    const facts = { budget, pods, expected: answer.counted, isGone: () => true, nowMillis };
    return { ...budget, status: planBudgetStatus(facts).status ?? budget.status };
  });
  return { ...world, budgets };
}

/** A world of its own, with its budgets counted. */
export function drainWorld({ here, elsewhere, budgets }: WorldFacts, nowMillis: number): DrainWorld {
  const replicas: Record<string, number> = {};
  for (const { controller } of [...here, ...elsewhere]) {
    if (controller !== undefined) replicas[controller] = (replicas[controller] ?? 0) + 1;
  }
  const world: DrainWorld = {
    nodePods: here.map((facts, i) => makePod(`here-${i}`, facts)),
    otherPods: elsewhere.map((facts, i) => makePod(`elsewhere-${i}`, facts)),
    budgets: budgets.map((spec, i) => ({
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
      metadata: { name: `budget-${i}`, namespace: 'n', generation: 1 },
      spec: { ...spec, selector: { matchLabels: { [i === 0 ? 'x' : 'y']: 'yes' } } },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    })),
    replicas,
  };
  return recount(world, nowMillis);
}

function makeHealthy(pod: BudgetPod): BudgetPod {
  return { ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'True' }] } };
}

/** The same world with every pod Ready. */
export function healAll(world: DrainWorld, nowMillis: number): DrainWorld {
  return recount(
    { ...world, nodePods: world.nodePods.map(makeHealthy), otherPods: world.otherPods.map(makeHealthy) },
    nowMillis,
  );
}

/** Names of the pods on the node that could be evicted now. */
export function listEvictable({ nodePods, budgets }: DrainWorld, nowMillis: number): string[] {
  return nodePods
    .filter((pod) => planEviction({ pod, budgets, nowMillis }).outcome !== 'refuse')
    .map(({ metadata }) => metadata.name ?? '');
}

/** Evicts pods one after the other; then those with a controller are replaced elsewhere, Ready, and the budgets are counted. */
export function evictAll(
  world: DrainWorld,
  names: readonly string[],
  nowMillis: number,
): { readonly refused: readonly string[]; readonly next: DrainWorld } {
  const refused: string[] = [];
  let { budgets } = world;
  const gone = new Set<string>();
  // Those that nobody is charged for may be asked at any time; a charge that came first could not make them wait.
  for (const name of names) {
    const pod = world.nodePods.find(({ metadata }) => metadata.name === name);
    if (pod === undefined) throw new Error(`no pod is called ${name}`);
    const plan = planEviction({ pod, budgets, nowMillis });
    if (plan.outcome === 'refuse') {
      refused.push(name);
      continue;
    }
    gone.add(name);
    const charged = plan.outcome === 'charge' ? plan.charged : [];
    budgets = budgets.map((budget) => (charged.includes(budget) ? chargeBudget(budget, pod, nowMillis) : budget));
  }
  const leaving = world.nodePods.filter(({ metadata }) => gone.has(metadata.name ?? ''));
  const replacements = leaving
    .filter((pod) => findControllerReference(pod) !== undefined)
    .map((pod) => ({ ...makeHealthy(pod), metadata: { ...pod.metadata, name: `new-${pod.metadata.name}` } }));
  const next: DrainWorld = {
    ...{ budgets, replicas: world.replicas },
    nodePods: world.nodePods.filter((pod) => !leaving.includes(pod)),
    otherPods: [...world.otherPods, ...replacements],
  };
  return { refused, next: recount(next, nowMillis) };
}
