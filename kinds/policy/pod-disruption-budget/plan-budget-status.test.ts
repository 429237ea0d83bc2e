import { describe, expect, it } from 'vitest';

import type { BudgetPod } from './budget-pod.ts';
import {
  computeDisruptionsAllowed,
  planAllowedConditions,
  planBudgetStatus,
  planFailedStatus,
  type BudgetStatusFacts,
} from './plan-budget-status.ts';
import type { PodDisruptionBudget } from './schema.ts';

type Status = PodDisruptionBudget['status'];

const nowMillis = Date.parse('2026-01-01T01:00:00Z');
const at = (secondsAgo: number): string => new Date(nowMillis - secondsAgo * 1000).toISOString().replace('.000', '');
const noStatus: Status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

function makeBudget(status: Partial<Status> = {}): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'n', generation: 3 },
    spec: { minAvailable: 1 },
    status: { ...noStatus, ...status },
  };
}

function makePod(name: string, state: { ready?: string; going?: boolean } = {}): BudgetPod {
  const { ready = 'True', going = false } = state;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'n', ...(going ? { deletionTimestamp: at(1) } : {}) },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
  };
}

function plan(facts: Partial<BudgetStatusFacts>) {
  const pods = facts.pods ?? [makePod('p0'), makePod('p1'), makePod('p2')];
  return planBudgetStatus({
    ...{ budget: makeBudget(), expected: { expectedPods: 3, desiredHealthy: 1, unmanagedPods: [] }, nowMillis },
    ...{ isGone: () => false, ...facts, pods },
  });
}

describe('planBudgetStatus', () => {
  it('counts pods that are Ready and stay', () => {
    const pods = [makePod('a'), makePod('b', { ready: 'False' }), makePod('c', { going: true }), makePod('d')];
    expect(plan({ pods }).status).toEqual({
      observedGeneration: 3,
      ...{ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 3 },
      conditions: [
        {
          ...{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '' },
          ...{ observedGeneration: 3, lastTransitionTime: at(0) },
        },
      ],
    });
  });

  it('says that there are too few, and keeps the time of an unchanged condition and the conditions of others', () => {
    const old = {
      type: 'DisruptionAllowed',
      status: 'False',
      reason: 'SyncFailed',
      message: 'm',
      lastTransitionTime: at(9),
    };
    const other = { type: 'Enforced', status: 'True', reason: 'R', message: '', lastTransitionTime: at(5) };
    const { status } = plan({ budget: makeBudget({ conditions: [old, other] }), pods: [makePod('a')] });
    expect(status?.disruptionsAllowed).toBe(0);
    expect(status?.conditions).toEqual([
      { ...old, reason: 'InsufficientPods', message: '', observedGeneration: 3 },
      other,
    ]);
  });

  it('plans nothing where the status says the same, with an empty map of pods too', () => {
    const { status } = plan({});
    expect(status).toBeDefined();
    expect(plan({ budget: makeBudget({ ...status, disruptedPods: {} }) }).status).toBeUndefined();
    const newer = makeBudget(status);
    newer.metadata.generation = 4;
    expect(plan({ budget: newer }).status?.observedGeneration).toBe(4);
  });

  type Row = {
    readonly name: string;
    readonly secondsAgo: number;
    readonly pod?: BudgetPod;
    readonly isGone?: boolean;
    /** Absent: the grant is dropped. */
    readonly againInSeconds?: number;
    readonly healthy: number;
    readonly notDeleted?: readonly string[];
  };
  it.for<Row>([
    { name: 'a grant just given', secondsAgo: 0, pod: makePod('p'), againInSeconds: 120, healthy: 2 },
    { name: 'a grant by a clock that is ahead', secondsAgo: -5, pod: makePod('p'), againInSeconds: 125, healthy: 2 },
    { name: 'a grant almost two minutes old', secondsAgo: 119, pod: makePod('p'), againInSeconds: 1, healthy: 2 },
    { name: 'a grant of two minutes', secondsAgo: 120, pod: makePod('p'), healthy: 3, notDeleted: ['p'] },
    { name: 'a pod that is going', secondsAgo: 1, pod: makePod('p', { going: true }), healthy: 2 },
    { name: 'an old grant of a pod that is going', secondsAgo: 500, pod: makePod('p', { going: true }), healthy: 2 },
    {
      name: 'a pod that was not Ready',
      secondsAgo: 1,
      pod: makePod('p', { ready: 'False' }),
      againInSeconds: 119,
      healthy: 2,
    },
    { name: 'a pod that was seen to go', secondsAgo: 1, isGone: true, healthy: 2 },
    { name: 'a pod that was not seen yet', secondsAgo: 1, againInSeconds: 9, healthy: 2 },
    { name: 'a pod that was not seen in ten seconds', secondsAgo: 10, healthy: 2 },
  ])('$name', ({ secondsAgo, pod, isGone = false, againInSeconds, healthy, notDeleted = [] }) => {
    const grant = { p: at(secondsAgo) };
    const planned = plan({
      budget: makeBudget({ disruptedPods: grant }),
      pods: [makePod('a'), makePod('b'), ...(pod === undefined ? [] : [pod])],
      isGone: () => isGone,
    });
    expect(planned.status?.disruptedPods).toEqual(againInSeconds === undefined ? undefined : grant);
    expect(planned.status?.currentHealthy).toBe(healthy);
    expect(planned.notDeleted).toEqual(notDeleted);
    const againAtMillis = againInSeconds === undefined ? undefined : nowMillis + againInSeconds * 1000;
    expect(planned.againAtMillis).toBe(againAtMillis);
  });

  it('looks again when the first of several grants ends', () => {
    const disruptedPods = { p0: at(10), p1: at(70), p2: at(30) };
    expect(plan({ budget: makeBudget({ disruptedPods }) }).againAtMillis).toBe(nowMillis + 50_000);
  });
});

describe('computeDisruptionsAllowed', () => {
  it.for([
    [3, 1, 3, 2],
    [3, 3, 3, 0],
    [1, 3, 3, 0],
    [3, 0, 0, 0],
    [0, 0, 3, 0],
  ] as const)('%i healthy, %i wanted, %i expected: %i', ([currentHealthy, desiredHealthy, expectedPods, allowed]) => {
    expect(computeDisruptionsAllowed({ currentHealthy, desiredHealthy, expectedPods })).toBe(allowed);
  });
});

describe('planFailedStatus', () => {
  const conditions = planAllowedConditions(undefined, 2, 2, nowMillis - 60_000);

  it('allows nothing, says why, and leaves the counts and what they were of', () => {
    const old = { observedGeneration: 2, disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 };
    const status = planFailedStatus(makeBudget({ ...old, conditions }), 'no scale', nowMillis);
    expect(status).toEqual({
      ...old,
      disruptionsAllowed: 0,
      conditions: [
        {
          ...{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'no scale' },
          ...{ observedGeneration: 2, lastTransitionTime: at(0) },
        },
      ],
    });
  });

  it('plans nothing where it says so already', () => {
    const first = planFailedStatus(makeBudget(), 'no scale', nowMillis);
    expect(planFailedStatus(makeBudget(first), 'no scale', nowMillis + 5000)).toBeUndefined();
    expect(planFailedStatus(makeBudget(first), 'other', nowMillis + 5000)?.conditions?.[0]).toMatchObject({
      message: 'other',
      lastTransitionTime: at(0),
    });
  });
});
