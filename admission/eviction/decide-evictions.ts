import type { StatusError } from '../../core/errors/status.ts';
import type { BudgetPod } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import { chargeBudget, holdsCharge } from '../../kinds/policy/pod-disruption-budget/charge-budget.ts';
import {
  type BudgetRefusal,
  type EvictionPlan,
  makeProcessingRefusal,
  planEviction,
} from '../../kinds/policy/pod-disruption-budget/plan-eviction.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { podResource } from '../../kinds/core/pod/pod-resource.ts';
import { type Clock, sleep } from '../../platform/process/clock.ts';
import { EventLoopYield } from '../../platform/process/event-loop-yield.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import type { DeleteOptions, ResourceClient } from '../../platform/resources/resource-client.ts';
import type { BudgetSource } from './budget-source.ts';
import { findPreconditionFault } from './eviction-request.ts';
import { matchBudgets } from './match-budgets.ts';
import { type BudgetCharges, storeCharges, type StoredCharges, undoCharges } from './swap-charges.ts';

/** What deciding about evictions needs. */
export interface EvictionServices {
  /** Reads pods and writes the statuses of budgets. */
  readonly client: ResourceClient;
  readonly budgets: BudgetSource;
  readonly clock: Clock;
  /** A number from 0 to below 1; keeps those apart that try again. */
  readonly random: () => number;
  /** Told of every try to store charges in a budget, and how many pods it was for. */
  readonly onSwap?: (outcome: 'stored' | 'outrun' | 'undone', pods: number) => void;
  /** Told when charges could not be taken back: they count until their time is over. */
  readonly onFailure: (error: unknown) => void;
}

/** One eviction of a namespace. */
export interface EvictionRequest {
  readonly podName: string;
  /** Those of the eviction; only its preconditions are looked at. */
  readonly options: DeleteOptions;
  /** Then it is only judged. */
  readonly dryRun: boolean;
}

/** What became of a request. Where it is granted and charged, the charges are stored. */
export type EvictionAnswer =
  | {
      readonly outcome: 'granted';
      readonly pod: BudgetPod;
      readonly plan: Exclude<EvictionPlan, { outcome: 'refuse' }>;
    }
  | { readonly outcome: 'refused'; readonly refusals: readonly BudgetRefusal[] }
  /** There is no such pod. */
  | { readonly outcome: 'absent' }
  /** The pod is not the one that is meant. */
  | { readonly outcome: 'mismatched'; readonly fault: StatusError };

/** As many as Kubernetes makes. */
const maxAttempts = 20;
const firstWaitMillis = 5;
const maxWaitMillis = 500;

interface BatchPlan {
  readonly answers: readonly EvictionAnswer[];
  /** In order of the budgets' names. */
  readonly changes: readonly BudgetCharges[];
}

/** A budget while requests are decided about one after the other. */
interface Standing {
  readonly before: PodDisruptionBudget;
  current: PodDisruptionBudget;
  readonly charges: Map<string, string>;
}

function decideOne(
  pod: BudgetPod,
  { options, dryRun }: EvictionRequest,
  own: readonly PodDisruptionBudget[],
  standings: ReadonlyMap<string, Standing>,
  nowMillis: number,
): EvictionAnswer {
  const budgets = own.map((budget) => standings.get(budget.metadata.name ?? '')?.current ?? budget);
  const plan = planEviction({ pod, budgets, nowMillis });
  if (plan.outcome === 'refuse') return { outcome: 'refused', refusals: plan.refusals };
  if (plan.outcome === 'evict') return { outcome: 'granted', pod, plan };
  const fault = findPreconditionFault(pod, options);
  // Whoever deletes the pod would find out only after it is charged.
  if (fault !== undefined) return { outcome: 'mismatched', fault };
  if (dryRun) return { outcome: 'granted', pod, plan };
  const podName = pod.metadata.name ?? '';
  for (const budget of plan.charged) {
    const standing = standings.get(budget.metadata.name ?? '');
    if (standing === undefined) throw new Error('a budget was charged that nobody asked');
    const isOurs = !holdsCharge(budget, pod, nowMillis) || standing.charges.has(podName);
    standing.current = chargeBudget(budget, pod, nowMillis);
    if (isOurs) standing.charges.set(podName, standing.current.status.disruptedPods?.[podName] ?? '');
  }
  return { outcome: 'granted', pod, plan };
}

/** Decides about requests in turn and in slices, each on top of what those before it take. */
async function planBatch(
  requests: readonly EvictionRequest[],
  pods: readonly (BudgetPod | undefined)[],
  budgets: readonly PodDisruptionBudget[],
  nowMillis: number,
): Promise<BatchPlan> {
  const matched = await matchBudgets(budgets, pods);
  const standings = new Map(
    budgets.map((budget): [string, Standing] => [
      budget.metadata.name ?? '',
      { before: budget, current: budget, charges: new Map() },
    ]),
  );
  const answers: EvictionAnswer[] = [];
  const slices = new EventLoopYield();
  for (const [i, request] of requests.entries()) {
    await slices.pause();
    const pod = pods[i];
    if (pod === undefined) answers.push({ outcome: 'absent' });
    else answers.push(decideOne(pod, request, matched[i] ?? [], standings, nowMillis));
  }
  const changes = [...standings]
    .filter(([, { before, current }]) => current !== before)
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([, { before, current, charges }]) => ({ before, after: current.status, charges }));
  return { answers, changes };
}

async function undoAll(services: EvictionServices, stored: readonly StoredCharges[]): Promise<void> {
  for (const one of stored.toReversed()) {
    try {
      await undoCharges(services.client, one, (attempt) => awaitRetry(services, attempt));
      services.onSwap?.('undone', one.charges.size);
    } catch (error) {
      services.onFailure(error);
    }
  }
}

/** Stores all changes or none. Resolves to the name of the budget that has changed meanwhile, or is gone; `undefined` when all are stored. */
async function storeAll(services: EvictionServices, changes: readonly BudgetCharges[]): Promise<string | undefined> {
  const done: StoredCharges[] = [];
  try {
    for (const change of changes) {
      const stored = await storeCharges(services.client, change);
      services.onSwap?.(stored === undefined ? 'outrun' : 'stored', change.charges.size);
      if (stored === undefined) {
        await undoAll(services, done);
        return change.before.metadata.name ?? '';
      }
      done.push(stored);
    }
    return undefined;
  } catch (error) {
    await undoAll(services, done);
    throw error;
  }
}

/** What came in between may not be readable yet, and others try again too. */
function awaitRetry({ clock, random }: EvictionServices, attempt: number): Promise<void> {
  return sleep(clock, (0.5 + random() / 2) * Math.min(maxWaitMillis, firstWaitMillis * 2 ** (attempt - 1)));
}

function refuseCharged(answer: EvictionAnswer, budgetName: string, dryRun: boolean): EvictionAnswer {
  const isCharged = answer.outcome === 'granted' && answer.plan.outcome === 'charge' && !dryRun;
  return isCharged ? { outcome: 'refused', refusals: [makeProcessingRefusal(budgetName)] } : answer;
}

/**
 * Decides about evictions of one namespace together, and charges the budgets of those that it grants: one compare-and-swap a budget, budgets in
 * order of their names. Where a budget has changed meanwhile, what was charged to others is taken back, and everything is read and decided
 * anew. Answers are in order.
 */
export async function decideEvictions(
  services: EvictionServices,
  namespace: string,
  requests: readonly EvictionRequest[],
): Promise<readonly EvictionAnswer[]> {
  const { client, budgets, clock } = services;
  for (let attempt = 1; ; attempt++) {
    const pods = await Promise.all(
      requests.map(({ podName }) =>
        getIfPresent<BudgetPod>(client, { resource: podResource, namespace, name: podName }),
      ),
    );
    const present = pods.filter((pod) => pod !== undefined);
    const listed = await budgets.list(namespace, present);
    const { answers, changes } = await planBatch(requests, pods, listed, clock.now());
    if (changes.length === 0) return answers;
    const outrunBy = await storeAll(services, changes);
    if (outrunBy === undefined) return answers;
    if (attempt === maxAttempts) {
      return answers.map((answer, i) => refuseCharged(answer, outrunBy, requests[i]?.dryRun === true));
    }
    await awaitRetry(services, attempt);
  }
}
