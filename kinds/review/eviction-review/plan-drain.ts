import {
  type BudgetPod,
  findControllerReference,
  isPodReady,
  isPodTerminating,
} from '../../policy/pod-disruption-budget/budget-pod.ts';
import { chargeBudget } from '../../policy/pod-disruption-budget/charge-budget.ts';
import {
  type BudgetRefusal,
  type EvictionPlan,
  planEviction,
} from '../../policy/pod-disruption-budget/plan-eviction.ts';
import { selectBudgets } from '../../policy/pod-disruption-budget/select-budgets.ts';
import type { PodDisruptionBudget } from '../../policy/pod-disruption-budget/schema.ts';
import { isOfDaemonSet, planDrainFilter } from './plan-drain-filter.ts';
import { explainNever, recountHealthy, recountWithout } from './simulated-budget.ts';

/** What a drain is planned from. */
export interface DrainFacts {
  /** All pods of the node. */
  readonly pods: readonly BudgetPod[];
  /** The budgets that bind in a namespace. */
  listBudgets(namespace: string): readonly PodDisruptionBudget[];
  /** Whether there is a DaemonSet of this name. */
  hasDaemonSet(namespace: string, name: string): boolean;
  readonly nowMillis: number;
}

/** What becomes of a pod, in the words of DrainedPod. */
export interface PlannedPod {
  readonly pod: BudgetPod;
  readonly action: 'Evict' | 'Ignore' | 'Never' | 'Terminating' | 'Wait';
  /** Round in which it goes, from 1; absent when it stays, or nobody can tell. */
  readonly round?: number;
  /** Names of the budgets that select it. */
  readonly budgets: readonly string[];
  readonly healthyNeeded?: number;
  readonly message?: string;
  readonly drainOptions: readonly string[];
}

interface Candidate {
  readonly pod: BudgetPod;
  readonly drainOptions: readonly string[];
  readonly budgetKeys: readonly string[];
  /** Pods of one class are answered alike. */
  readonly className: string;
  readonly isManaged: boolean;
  /** What was in its way when nobody could go any more. */
  obstacle?: Pick<PlannedPod, 'healthyNeeded' | 'message'>;
}

type Decision = Pick<PlannedPod, 'action' | 'round' | 'message' | 'healthyNeeded'>;
type Refusals = Map<Candidate, readonly BudgetRefusal[]>;

const ranks: Readonly<Record<PlannedPod['action'], number>> = {
  Terminating: 0,
  Evict: 1,
  Wait: 2,
  Never: 3,
  Ignore: 4,
};

function keyOf({ metadata: { namespace = '', name = '' } }: BudgetPod | PodDisruptionBudget): string {
  return `${namespace}/${name}`;
}

/** Pods that are not healthy come first: nobody is worse off without them, but they may find nothing left to be charged for. */
function compareCandidates(left: Candidate, right: Candidate): number {
  const readiness = Number(isPodReady(left.pod)) - Number(isPodReady(right.pod));
  if (readiness !== 0) return readiness;
  const [a, b] = [keyOf(left.pod), keyOf(right.pod)];
  return a < b ? -1 : Number(a > b);
}

function comparePlanned(left: PlannedPod, right: PlannedPod): number {
  return ranks[left.action] - ranks[right.action] || (left.round ?? Infinity) - (right.round ?? Infinity) || 0;
}

function describeObstacle(refusals: readonly BudgetRefusal[]): NonNullable<Candidate['obstacle']> {
  const healthyNeeded = refusals.reduce((most, refusal) => Math.max(most, refusal.healthyNeeded), 0);
  const message = refusals.map((refusal) => refusal.message).join('; ');
  return { message, ...(healthyNeeded === 0 ? {} : { healthyNeeded }) };
}

/** Plays a drain: who may go is evicted, who has gone is replaced, and so on. */
class Drain {
  readonly #facts: DrainFacts;
  readonly #budgets = new Map<string, PodDisruptionBudget>();
  /** Budgets that pods of the node have in common, directly or through others, have one group. */
  readonly #groups = new Map<string, string>();
  readonly #planned: PlannedPod[] = [];
  /** Keys of the budgets of which all pods are taken to be healthy. */
  readonly #healed = new Set<string>();
  #remaining: Candidate[] = [];
  /** Those that go anyway, until the first round is over. */
  #leaving: Candidate[] = [];
  #round = 0;

  constructor(facts: DrainFacts) {
    this.#facts = facts;
  }

  *play(): Generator<undefined, PlannedPod[]> {
    for (const pod of this.#facts.pods) {
      this.#sortOut(pod);
      yield;
    }
    this.#remaining.sort(compareCandidates);
    while (this.#remaining.length > 0) {
      const refusals: Refusals = new Map();
      const isGoingOn = (yield* this.#playRound(refusals)) || (yield* this.#assumeHealth(refusals));
      if (!isGoingOn) yield* this.#giveUp(refusals);
      yield;
    }
    return this.#planned.toSorted(comparePlanned);
  }

  #sortOut(pod: BudgetPod): void {
    const { listBudgets, hasDaemonSet } = this.#facts;
    const { namespace = '', name = '' } = pod.metadata;
    const reference = findControllerReference(pod);
    const filter = planDrainFilter(pod, {
      hasDaemonSet: isOfDaemonSet(pod) && hasDaemonSet(namespace, reference?.name ?? ''),
    });
    const budgets = selectBudgets(listBudgets(namespace), pod);
    for (const budget of budgets) this.#budgets.set(keyOf(budget), budget);
    const budgetKeys = budgets.map(keyOf);
    this.#join(budgetKeys);
    const isGranted = budgets.some(({ status }) => Object.hasOwn(status.disruptedPods ?? {}, name));
    const isManaged = reference !== undefined;
    const state = [pod.status?.phase, isPodReady(pod), isManaged, isGranted ? name : ''];
    const className = [...budgetKeys, ...state].join(' ');
    const candidate = { pod, drainOptions: filter.drainOptions, budgetKeys, isManaged, className };
    if (filter.stays !== undefined) this.#decide(candidate, { action: 'Ignore', message: filter.stays });
    else if (!isPodTerminating(pod)) this.#remaining.push(candidate);
    else {
      this.#leaving.push(candidate);
      this.#decide(candidate, { action: 'Terminating', round: 1 });
    }
  }

  #findGroup(key: string): string {
    let group = key;
    for (;;) {
      const next = this.#groups.get(group) ?? group;
      if (next === group) return group;
      group = next;
    }
  }

  #join([first, ...others]: readonly string[]): void {
    if (first === undefined) return;
    for (const key of others) this.#groups.set(this.#findGroup(key), this.#findGroup(first));
  }

  #decide({ pod, drainOptions, budgetKeys }: Candidate, decision: Decision): void {
    const budgets = budgetKeys.map((key) => key.slice(key.indexOf('/') + 1));
    this.#planned.push({ pod, budgets, drainOptions, ...decision });
  }

  #judge({ pod, budgetKeys }: Candidate, state: ReadonlyMap<string, PodDisruptionBudget>): EvictionPlan {
    const budgets = budgetKeys.flatMap((key) => state.get(key) ?? []);
    return planEviction({ pod, budgets, nowMillis: this.#facts.nowMillis });
  }

  /** Those of `candidates` that nobody is charged for. */
  *#listFree(candidates: readonly Candidate[]): Generator<undefined, Set<Candidate>> {
    const known = new Map<string, boolean>();
    const free = new Set<Candidate>();
    for (const candidate of candidates) {
      const isFree = known.get(candidate.className) ?? this.#judge(candidate, this.#budgets).outcome === 'evict';
      known.set(candidate.className, isFree);
      if (isFree) free.add(candidate);
      yield;
    }
    return free;
  }

  /** Those of `candidates` that can go, each after the ones before it; `state` is charged for them. */
  *#charge(
    candidates: readonly Candidate[],
    state: Map<string, PodDisruptionBudget>,
    refusals: Refusals,
  ): Generator<undefined, readonly Candidate[]> {
    const refusedClasses = new Map<string, readonly BudgetRefusal[]>();
    const going: Candidate[] = [];
    for (const candidate of candidates) {
      const known = refusedClasses.get(candidate.className);
      const plan =
        known === undefined ? this.#judge(candidate, state) : { outcome: 'refuse' as const, refusals: known };
      if (plan.outcome === 'refuse') {
        refusedClasses.set(candidate.className, plan.refusals);
        refusals.set(candidate, plan.refusals);
        yield;
        continue;
      }
      going.push(candidate);
      for (const budget of plan.outcome === 'charge' ? plan.charged : []) {
        state.set(keyOf(budget), chargeBudget(budget, candidate.pod, this.#facts.nowMillis));
      }
      yield;
    }
    return going;
  }

  /** Evicts who can go, and lets their replacements become Ready. `false` when nobody goes. */
  *#playRound(refusals: Refusals): Generator<undefined, boolean> {
    const state = new Map(this.#budgets);
    const free = yield* this.#listFree(this.#remaining);
    const rest = this.#remaining.filter((candidate) => !free.has(candidate));
    const managed = yield* this.#charge(
      rest.filter(({ isManaged }) => isManaged),
      state,
      refusals,
    );
    // Nobody replaces the others. While they stay, they count for those that are replaced, which therefore go first.
    const first = [...this.#leaving, ...free, ...managed];
    const busy = new Set(first.flatMap(({ budgetKeys }) => budgetKeys.map((key) => this.#findGroup(key))));
    const others = rest.filter(
      ({ isManaged, budgetKeys }) => !isManaged && !budgetKeys.some((key) => busy.has(this.#findGroup(key))),
    );
    const gone = new Set([...free, ...managed, ...(yield* this.#charge(others, state, refusals))]);
    if (gone.size === 0 && this.#leaving.length === 0) return false;
    this.#round += 1;
    yield* this.#settle(state, [...this.#leaving, ...gone]);
    this.#leaving = [];
    for (const candidate of this.#remaining) {
      if (!gone.has(candidate)) continue;
      const action = candidate.obstacle === undefined ? 'Evict' : 'Wait';
      this.#decide(candidate, { action, round: this.#round, ...candidate.obstacle });
    }
    this.#remaining = this.#remaining.filter((candidate) => !gone.has(candidate));
    return true;
  }

  *#settle(charged: ReadonlyMap<string, PodDisruptionBudget>, gone: readonly Candidate[]): Generator<undefined, void> {
    const goneOf = new Map<string, BudgetPod[]>();
    for (const { pod, budgetKeys } of gone) {
      for (const key of budgetKeys) {
        const known = goneOf.get(key) ?? [];
        known.push(pod);
        goneOf.set(key, known);
      }
      yield;
    }
    for (const [key, pods] of goneOf) {
      const [before, after] = [this.#budgets.get(key), charged.get(key)];
      if (before === undefined || after === undefined) continue;
      this.#budgets.set(key, recountWithout(before, after, pods, this.#healed.has(key)));
      yield;
    }
  }

  #findRefusing({ pod }: Candidate, { budgetName, reason }: BudgetRefusal): PodDisruptionBudget | undefined {
    return reason === 'Exhausted' ? this.#budgets.get(`${pod.metadata.namespace ?? ''}/${budgetName}`) : undefined;
  }

  /** Notes what is in the way of those that remain, and lets the pods of their budgets become healthy. `false` when that helps nobody. */
  *#assumeHealth(refusals: Refusals): Generator<undefined, boolean> {
    let helps = false;
    for (const candidate of this.#remaining) {
      const own = refusals.get(candidate) ?? [];
      candidate.obstacle ??= describeObstacle(own);
      for (const refusal of own) {
        const budget = this.#findRefusing(candidate, refusal);
        if (budget === undefined || explainNever(budget) !== undefined) continue;
        const healthy = recountHealthy(budget);
        if (healthy.status.disruptionsAllowed <= budget.status.disruptionsAllowed) continue;
        this.#budgets.set(keyOf(budget), healthy);
        this.#healed.add(keyOf(budget));
        helps = true;
      }
      yield;
    }
    return helps;
  }

  *#giveUp(refusals: Refusals): Generator<undefined, void> {
    for (const candidate of this.#remaining) {
      const own = refusals.get(candidate) ?? [];
      const never = own.flatMap((refusal) => {
        const budget = this.#findRefusing(candidate, refusal);
        return budget === undefined ? [] : (explainNever(budget) ?? []);
      });
      if (never.length > 0) this.#decide(candidate, { action: 'Never', message: never.join('; ') });
      else this.#decide(candidate, { action: 'Wait', ...describeObstacle(own) });
      yield;
    }
    this.#remaining = [];
  }
}

/**
 * Plans how the pods of a node could leave it, in the order in which they go: by the decision that answers each eviction, with the
 * replacements of those that have gone becoming Ready before the next round. It pauses often, so that whoever runs it can let others in.
 */
export function* planDrain(facts: DrainFacts): Generator<undefined, PlannedPod[]> {
  return yield* new Drain(facts).play();
}
