import { type BudgetPod, isPodReady, isPodTerminal, isPodTerminating } from './budget-pod.ts';
import { holdsCharge, isChargeHurried } from './charge-budget.ts';
import type { PodDisruptionBudget } from './schema.ts';
import { selectBudgets } from './select-budgets.ts';

/** Why a budget stands in the way of an eviction. */
export interface BudgetRefusal {
  readonly budgetName: string;
  /**
   * `Processing`: its newest spec is not counted yet. `Exhausted`: it allows no disruption now. `Negative`, `TooManyPending`: its status is
   * out of order. `UnknownPolicy`: the pod is not healthy, and nobody knows what the budget wants of such pods.
   */
  readonly reason: 'Processing' | 'Exhausted' | 'Negative' | 'TooManyPending' | 'UnknownPolicy';
  /** A sentence for people, in Kubernetes' words where it has some. */
  readonly message: string;
  /** When asking again makes sense; absent: when the pods have changed. */
  readonly retryAfterSeconds?: number;
  /** How many more pods must be healthy; 0 where that is not what is missing. */
  readonly healthyNeeded: number;
}

/** Why no budget is charged for an eviction. */
export type UnchargedReason = 'Terminal' | 'Terminating' | 'Pending' | 'NoBudget' | 'Unhealthy';

/** Whether a pod may be evicted. `pinsVersion`: only as it was judged, since it goes without a charge because of its state. */
export type EvictionPlan =
  | {
      readonly outcome: 'evict';
      readonly reason: UnchargedReason;
      /** Budgets that let the pod go without a charge, since it is not healthy, in order of their names. */
      readonly spared: readonly PodDisruptionBudget[];
      readonly pinsVersion: boolean;
    }
  | {
      readonly outcome: 'charge';
      /** To be charged before the pod goes, in order of their names. */
      readonly charged: readonly PodDisruptionBudget[];
      readonly spared: readonly PodDisruptionBudget[];
      readonly pinsVersion: boolean;
    }
  /** Every budget that stands in the way, in order of their names. */
  | { readonly outcome: 'refuse'; readonly refusals: readonly BudgetRefusal[] };

/** What an eviction is planned from. */
export interface EvictionFacts {
  readonly pod: BudgetPod;
  /** Those that select the pod, or more: the others are left out. */
  readonly budgets: readonly PodDisruptionBudget[];
  readonly nowMillis: number;
}

/** When a budget that is being processed may be asked again, in seconds. */
const processingSeconds = 10;
/** More evictions than these, granted and not seen by the controller, are not waited for. */
const maxDisruptedPods = 2_000;
const policies: ReadonlySet<string | undefined> = new Set([undefined, 'IfHealthyBudget', 'AlwaysAllow']);

/** Why a pod can go whatever its budgets say; `undefined` when they must be asked. */
function findExemption(pod: BudgetPod): UnchargedReason | undefined {
  if (isPodTerminal(pod)) return 'Terminal';
  if (isPodTerminating(pod)) return 'Terminating';
  return pod.status?.phase === 'Pending' ? 'Pending' : undefined;
}

/** That a budget is not counted yet, or changed while it was asked: to be asked again soon. */
export function makeProcessingRefusal(budgetName: string): BudgetRefusal {
  const message = `The disruption budget ${budgetName} is still being processed by the server.`;
  return { budgetName, reason: 'Processing', message, retryAfterSeconds: processingSeconds, healthyNeeded: 0 };
}

/** What a budget says to the eviction of a pod that is running. */
function judgeBudget(
  budget: PodDisruptionBudget,
  { pod, nowMillis }: EvictionFacts,
): 'spare' | 'charge' | BudgetRefusal {
  const budgetName = budget.metadata.name ?? '';
  const { unhealthyPodEvictionPolicy: policy } = budget.spec;
  const { observedGeneration = 0, disruptionsAllowed, currentHealthy, desiredHealthy } = budget.status;
  const isReady = isPodReady(pod);
  if (!isReady) {
    if (policy === 'AlwaysAllow') return 'spare';
    if (!policies.has(policy)) {
      const message = `The disruption budget ${budgetName} has the unhealthyPodEvictionPolicy ${JSON.stringify(policy)}, which is not known, and the pod is not healthy`;
      return { budgetName, reason: 'UnknownPolicy', message, healthyNeeded: 0 };
    }
    if (desiredHealthy > 0 && currentHealthy >= desiredHealthy) return 'spare';
  }
  if (observedGeneration < (budget.metadata.generation ?? 0)) return makeProcessingRefusal(budgetName);
  if (disruptionsAllowed < 0) {
    const message = 'pdb disruptions allowed is negative';
    return { budgetName, reason: 'Negative', message, healthyNeeded: 0 };
  }
  if (holdsCharge(budget, pod, nowMillis)) {
    return isChargeHurried(budget, pod, nowMillis) ? makeProcessingRefusal(budgetName) : 'charge';
  }
  if (Object.keys(budget.status.disruptedPods ?? {}).length > maxDisruptedPods) {
    const message = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return { budgetName, reason: 'TooManyPending', message, healthyNeeded: 0 };
  }
  if (disruptionsAllowed > 0) return 'charge';
  const message = `The disruption budget ${budgetName} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  // A pod that is healthy goes from among the healthy ones, and one that is not goes once the others are enough.
  const healthyNeeded = Math.max(1, desiredHealthy + (isReady ? 1 : 0) - currentHealthy);
  return { budgetName, reason: 'Exhausted', message, healthyNeeded };
}

/**
 * Decides about the eviction of a pod. All of its budgets are asked: it goes when none stands in the way, after those that count it are
 * charged, and what is refused names every budget that refuses.
 */
export function planEviction(facts: EvictionFacts): EvictionPlan {
  const { pod } = facts;
  const exemption = findExemption(pod);
  if (exemption !== undefined) {
    // A pod that waits to run may become healthy meanwhile; one that has ended will not.
    return { outcome: 'evict', reason: exemption, spared: [], pinsVersion: exemption === 'Pending' };
  }
  const budgets = selectBudgets(facts.budgets, pod);
  const charged: PodDisruptionBudget[] = [];
  const spared: PodDisruptionBudget[] = [];
  if (budgets.length === 0) return { outcome: 'evict', reason: 'NoBudget', spared, pinsVersion: false };
  const refusals: BudgetRefusal[] = [];
  for (const budget of budgets) {
    const judgement = judgeBudget(budget, facts);
    if (judgement === 'charge') charged.push(budget);
    else if (judgement === 'spare') spared.push(budget);
    else refusals.push(judgement);
  }
  if (refusals.length > 0) return { outcome: 'refuse', refusals };
  if (charged.length === 0) return { outcome: 'evict', reason: 'Unhealthy', spared, pinsVersion: true };
  return { outcome: 'charge', charged, spared, pinsVersion: spared.length > 0 };
}
