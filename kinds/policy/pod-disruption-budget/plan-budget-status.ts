import { deepEqual } from '../../../core/meta/deep.ts';
import { formatTime, parseTime } from '../../../core/time/time.ts';
import { type BudgetPod, isPodReady, isPodTerminating } from './budget-pod.ts';
import type { ExpectedPods } from './count-expected-pods.ts';
import type { PodDisruptionBudget } from './schema.ts';

/** How long a pod whose eviction was granted may stay without being deleted, before it counts again, in milliseconds. */
export const deletionTimeoutMillis = 120_000;
/** How long the grant of a pod that nobody has seen, neither there nor gone, is kept, in milliseconds. */
const unseenTimeoutMillis = 10_000;
const conditionType = 'DisruptionAllowed';

type Status = PodDisruptionBudget['status'];
type Condition = NonNullable<Status['conditions']>[number];

/** What a budget's status is planned from. */
export interface BudgetStatusFacts {
  readonly budget: PodDisruptionBudget;
  /** All pods that the budget selects. */
  readonly pods: readonly BudgetPod[];
  readonly expected: ExpectedPods;
  /** Whether a pod of this name was seen to go after its eviction was granted, rather than not seen yet. */
  readonly isGone: (podName: string, grantedMillis: number) => boolean;
  readonly nowMillis: number;
}

/** What is to become of a budget's status. */
export interface BudgetStatusPlan {
  /** The whole status; `undefined` when the present one says the same. */
  readonly status: Status | undefined;
  /** Names of pods whose eviction was granted two minutes ago, and which nobody deleted. */
  readonly notDeleted: readonly string[];
  /** When to look again although nothing changes, in milliseconds since the epoch; `undefined`: never. */
  readonly againAtMillis: number | undefined;
}

/** How many pods may be disrupted, of counts as a status has them. Nobody may disrupt what is not expected. */
export function computeDisruptionsAllowed(
  counts: Pick<Status, 'currentHealthy' | 'desiredHealthy' | 'expectedPods'>,
): number {
  return counts.expectedPods <= 0 ? 0 : Math.max(0, counts.currentHealthy - counts.desiredHealthy);
}

interface Grants {
  readonly kept: Record<string, string>;
  readonly notDeleted: readonly string[];
  readonly againAtMillis: number | undefined;
}

/** Times that no clock of ours wrote are as old as can be. */
function readGrant(grants: Readonly<Record<string, string>>, name: string): number | undefined {
  return Object.hasOwn(grants, name) ? (parseTime(grants[name] ?? '') ?? 0) : undefined;
}

/** Keeps the grants that still stand: of pods that are there and not yet deleted, for two minutes. */
function sortGrants({ budget, pods, isGone, nowMillis }: BudgetStatusFacts): Grants {
  const grants = budget.status?.disruptedPods ?? {};
  const kept: Record<string, string> = {};
  const notDeleted: string[] = [];
  let againAtMillis: number | undefined;
  const keep = (name: string, endMillis: number): void => {
    kept[name] = grants[name] as string;
    if (againAtMillis === undefined || endMillis < againAtMillis) againAtMillis = endMillis;
  };
  const names = Object.keys(grants);
  if (names.length === 0) return { kept, notDeleted, againAtMillis };
  const byName = new Map(pods.map((pod) => [pod.metadata.name ?? '', pod]));
  for (const name of names) {
    const pod = byName.get(name);
    const grantedMillis = readGrant(grants, name) ?? 0;
    if (pod === undefined) {
      // The grant may be seen before the pod is: dropped too early, the pod would count while it goes.
      const endMillis = grantedMillis + unseenTimeoutMillis;
      if (!isGone(name, grantedMillis) && endMillis > nowMillis) keep(name, endMillis);
    } else if (!isPodTerminating(pod)) {
      const endMillis = grantedMillis + deletionTimeoutMillis;
      if (endMillis <= nowMillis) notDeleted.push(name);
      else keep(name, endMillis);
    }
  }
  return { kept, notDeleted, againAtMillis };
}

/** How many of a budget's pods are healthy: Ready, not on their way out, and not granted to be disrupted. */
function countHealthyPods(
  pods: readonly BudgetPod[],
  grants: Readonly<Record<string, string>>,
  nowMillis: number,
): number {
  let healthy = 0;
  for (const pod of pods) {
    if (isPodTerminating(pod) || !isPodReady(pod)) continue;
    const grantedMillis = readGrant(grants, pod.metadata.name ?? '');
    if (grantedMillis === undefined || grantedMillis + deletionTimeoutMillis <= nowMillis) healthy += 1;
  }
  return healthy;
}

type AllowedCondition = Pick<Condition, 'status' | 'reason' | 'message'>;

function setAllowedCondition(
  conditions: readonly Condition[] | undefined,
  change: AllowedCondition,
  observedGeneration: number | undefined,
  nowMillis: number,
): Condition[] {
  const old = conditions?.find(({ type }) => type === conditionType);
  const isSame = old !== undefined && old.status === change.status;
  const condition: Condition = {
    type: conditionType,
    ...change,
    ...(observedGeneration === undefined || observedGeneration === 0 ? {} : { observedGeneration }),
    lastTransitionTime: isSame ? (old.lastTransitionTime ?? null) : formatTime(nowMillis),
  };
  if (old === undefined) return [...(conditions ?? []), condition];
  return (conditions ?? []).map((each) => (each === old ? condition : each));
}

/** The conditions of a status whose number of allowed disruptions becomes `disruptionsAllowed`; the time of a transition moves with the status. */
export function planAllowedConditions(
  status: Pick<Status, 'conditions'> | undefined,
  disruptionsAllowed: number,
  observedGeneration: number | undefined,
  nowMillis: number,
): Condition[] {
  const change: AllowedCondition =
    disruptionsAllowed > 0
      ? { status: 'True', reason: 'SufficientPods', message: '' }
      : { status: 'False', reason: 'InsufficientPods', message: '' };
  return setAllowedCondition(status?.conditions, change, observedGeneration, nowMillis);
}

/** The counts of a budget from its pods, its grants that still stand, and whether it allows a disruption. */
export function planBudgetStatus(facts: BudgetStatusFacts): BudgetStatusPlan {
  const { budget, pods, expected, nowMillis } = facts;
  const { kept, notDeleted, againAtMillis } = sortGrants(facts);
  const currentHealthy = countHealthyPods(pods, kept, nowMillis);
  const { expectedPods, desiredHealthy } = expected;
  const disruptionsAllowed = computeDisruptionsAllowed({ currentHealthy, desiredHealthy, expectedPods });
  const { generation } = budget.metadata;
  const status: Status = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(Object.keys(kept).length === 0 ? {} : { disruptedPods: kept }),
    ...{ disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods },
    conditions: planAllowedConditions(budget.status, disruptionsAllowed, generation, nowMillis),
  };
  const isSame = deepEqual(normalizeStatus(budget.status), status);
  return { status: isSame ? undefined : status, notDeleted, againAtMillis };
}

/** A host keeps counts that were never written as absent, and an empty map as one. */
function normalizeStatus(status: Status | undefined): Status {
  const { disruptedPods, ...rest } = status ?? {};
  return {
    ...{ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    ...rest,
    ...(disruptedPods === undefined || Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
  };
}

/** The status of a budget that cannot be counted: nothing may be disrupted, and why; `undefined` when it says so already. */
export function planFailedStatus(budget: PodDisruptionBudget, fault: string, nowMillis: number): Status | undefined {
  const old = normalizeStatus(budget.status);
  const change: AllowedCondition = { status: 'False', reason: 'SyncFailed', message: fault };
  const status: Status = {
    ...old,
    disruptionsAllowed: 0,
    conditions: setAllowedCondition(old.conditions, change, old.observedGeneration, nowMillis),
  };
  return deepEqual(old, status) ? undefined : status;
}
