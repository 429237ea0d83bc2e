import { describe, expect, it } from 'vitest';

import type { BudgetPod } from './budget-pod.ts';
import { type BudgetRefusal, planEviction } from './plan-eviction.ts';
import { selectBudgets } from './select-budgets.ts';
import type { PodDisruptionBudget } from './schema.ts';

const nowMillis = Date.parse('2026-01-31T12:00:00Z');

function makePod(status: object, metadata: object = {}): BudgetPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a',
      namespace: 'n',
      labels: { app: 'web' },
      creationTimestamp: '2026-01-31T11:00:00Z',
      ...metadata,
    },
    status,
  };
}

const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const unready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };

function makeBudget(
  name: string,
  status: Partial<PodDisruptionBudget['status']>,
  spec: object = {},
  metadata: object = {},
): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'n', generation: 2, resourceVersion: '5', ...metadata },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    status: {
      observedGeneration: 2,
      disruptionsAllowed: 0,
      currentHealthy: 3,
      desiredHealthy: 3,
      expectedPods: 3,
      ...status,
    },
  };
}

const open = { disruptionsAllowed: 1, currentHealthy: 4 };
const alwaysAllow = { unhealthyPodEvictionPolicy: 'AlwaysAllow' };
const full = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, '2026-01-31T11:59:59Z']));

describe('planEviction without a charge', () => {
  const exhausted = makeBudget('b', {});
  it.for([
    ['a pod that has succeeded', makePod({ phase: 'Succeeded' }), [exhausted], 'Terminal', false],
    ['a pod that has failed', makePod({ phase: 'Failed' }), [exhausted], 'Terminal', false],
    [
      'a pod on its way out',
      makePod(ready, { deletionTimestamp: '2026-01-31T12:00:00Z' }),
      [exhausted],
      'Terminating',
      false,
    ],
    ['a pod that waits to run, as it is', makePod({ phase: 'Pending' }), [exhausted], 'Pending', true],
    ['a pod without a budget', makePod(ready), [], 'NoBudget', false],
    ['budgets of other pods', makePod(ready, { labels: {} }), [exhausted], 'NoBudget', false],
    ['budgets of other namespaces', makePod(ready, { namespace: 'm' }), [exhausted], 'NoBudget', false],
    ['an unhealthy pod under AlwaysAllow', makePod(unready), [makeBudget('b', {}, alwaysAllow)], 'Unhealthy', true],
    [
      'an unhealthy pod under AlwaysAllow of a budget that is not counted',
      makePod(unready),
      [makeBudget('b', { observedGeneration: 1 }, alwaysAllow)],
      'Unhealthy',
      true,
    ],
    [
      'an unhealthy pod of a healthy budget',
      makePod(unready),
      [makeBudget('b', { currentHealthy: 3 })],
      'Unhealthy',
      true,
    ],
    [
      'an unhealthy pod of two such budgets',
      makePod(unready),
      [makeBudget('b', {}), makeBudget('a', {}, alwaysAllow)],
      'Unhealthy',
      true,
    ],
  ] as const)('lets go %s', ([, pod, budgets, reason, pinsVersion]) => {
    expect(planEviction({ pod, budgets, nowMillis })).toMatchObject({ outcome: 'evict', reason, pinsVersion });
  });
});

describe('planEviction with charges', () => {
  it.for([
    ['the budget of a healthy pod', makePod(ready), [makeBudget('b', open)], ['b'], false],
    [
      'all budgets, by name',
      makePod(ready),
      [makeBudget('c', open), makeBudget('a', open), makeBudget('b', open)],
      ['a', 'b', 'c'],
      false,
    ],
    [
      'the budget of an unhealthy pod, where too few others are healthy',
      makePod(unready),
      [makeBudget('b', { disruptionsAllowed: 1, currentHealthy: 2 })],
      ['b'],
      false,
    ],
    [
      'only budgets that do not spare an unhealthy pod, which goes as it is',
      makePod(unready),
      [makeBudget('a', {}, alwaysAllow), makeBudget('b', { disruptionsAllowed: 1, currentHealthy: 2 })],
      ['b'],
      true,
    ],
    [
      'a budget that holds the charge for the pod already',
      makePod(ready),
      [makeBudget('b', { disruptedPods: { a: '2026-01-31T11:59:00Z' } })],
      ['b'],
      false,
    ],
  ] as const)('charges %s', ([, pod, budgets, names, pinsVersion]) => {
    const plan = planEviction({ pod, budgets, nowMillis });
    expect(plan).toMatchObject({ outcome: 'charge', pinsVersion });
    expect(plan.outcome === 'charge' ? plan.charged.map(({ metadata }) => metadata.name) : []).toEqual(names);
  });
});

describe('planEviction refuses', () => {
  const needs = (name: string, wanted: number, found: number): string =>
    `The disruption budget ${name} needs ${wanted} healthy pods and has ${found} currently`;
  const processing = 'The disruption budget b is still being processed by the server.';
  const tooMany = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
  it.for<[string, BudgetPod, PodDisruptionBudget[], BudgetRefusal[]]>([
    [
      'what a budget does not allow',
      makePod(ready),
      [makeBudget('b', {})],
      [{ budgetName: 'b', reason: 'Exhausted', message: needs('b', 3, 3), healthyNeeded: 1 }],
    ],
    [
      'what a budget has too few healthy pods for, and says how many more',
      makePod(ready),
      [makeBudget('b', { currentHealthy: 1 })],
      [{ budgetName: 'b', reason: 'Exhausted', message: needs('b', 3, 1), healthyNeeded: 3 }],
    ],
    [
      'an unhealthy pod, which needs one less',
      makePod(unready),
      [makeBudget('b', { currentHealthy: 1 })],
      [{ budgetName: 'b', reason: 'Exhausted', message: needs('b', 3, 1), healthyNeeded: 2 }],
    ],
    [
      'an unhealthy pod of a budget that wants none healthy and expects none',
      makePod(unready),
      [makeBudget('b', { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 })],
      [{ budgetName: 'b', reason: 'Exhausted', message: needs('b', 0, 0), healthyNeeded: 1 }],
    ],
    [
      'what a budget counts whose spec is newer',
      makePod(ready),
      [makeBudget('b', { ...open, observedGeneration: 1 })],
      [{ budgetName: 'b', reason: 'Processing', message: processing, retryAfterSeconds: 10, healthyNeeded: 0 }],
    ],
    [
      'what a budget counts that was never counted',
      makePod(ready),
      [makeBudget('b', { observedGeneration: undefined })],
      [{ budgetName: 'b', reason: 'Processing', message: processing, retryAfterSeconds: 10, healthyNeeded: 0 }],
    ],
    [
      'a negative allowance',
      makePod(ready),
      [makeBudget('b', { disruptionsAllowed: -1 })],
      [{ budgetName: 'b', reason: 'Negative', message: 'pdb disruptions allowed is negative', healthyNeeded: 0 }],
    ],
    [
      'when too many evictions are not confirmed',
      makePod(ready),
      [makeBudget('b', { ...open, disruptedPods: full })],
      [{ budgetName: 'b', reason: 'TooManyPending', message: tooMany, healthyNeeded: 0 }],
    ],
    [
      'an unhealthy pod under a policy that nobody knows',
      makePod(unready),
      [makeBudget('b', { ...open }, { unhealthyPodEvictionPolicy: 'Sometimes' })],
      [
        {
          budgetName: 'b',
          reason: 'UnknownPolicy',
          message:
            'The disruption budget b has the unhealthyPodEvictionPolicy "Sometimes", which is not known, and the pod is not healthy',
          healthyNeeded: 0,
        },
      ],
    ],
    [
      'with every budget that stands in the way, by name',
      makePod(ready),
      [makeBudget('c', {}), makeBudget('b', open), makeBudget('a', { currentHealthy: 2 })],
      [
        { budgetName: 'a', reason: 'Exhausted', message: needs('a', 3, 2), healthyNeeded: 2 },
        { budgetName: 'c', reason: 'Exhausted', message: needs('c', 3, 3), healthyNeeded: 1 },
      ],
    ],
  ])('%s', ([, pod, budgets, refusals]) => {
    expect(planEviction({ pod, budgets, nowMillis })).toEqual({ outcome: 'refuse', refusals });
  });

  it('charges a healthy pod under a policy that nobody knows', () => {
    const budget = makeBudget('b', open, { unhealthyPodEvictionPolicy: 'Sometimes' });
    expect(planEviction({ pod: makePod(ready), budgets: [budget], nowMillis }).outcome).toBe('charge');
  });

  it.for([
    ['has run out', { disruptedPods: { a: '2026-01-31T11:58:00Z' } }, 'Exhausted'],
    ['is of an earlier pod of the name', { disruptedPods: { a: '2026-01-31T10:59:59Z' } }, 'Exhausted'],
    ['is of another pod', { disruptedPods: { z: '2026-01-31T11:59:59Z' } }, 'Exhausted'],
    [
      'is of a budget with too few others now',
      { disruptedPods: { a: '2026-01-31T11:59:59Z' }, currentHealthy: 2 },
      'Exhausted',
    ],
    [
      'is of a budget whose spec is newer',
      { disruptedPods: { a: '2026-01-31T11:59:59Z' }, observedGeneration: 1 },
      'Processing',
    ],
    [
      'is of a budget that cannot be counted',
      {
        disruptedPods: { a: '2026-01-31T11:59:59Z' },
        conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: '' }],
      },
      'Exhausted',
    ],
    ['was renewed again and again', { disruptedPods: { a: '2026-01-31T12:00:11Z' } }, 'Processing'],
  ] as const)('a second eviction when the charge for it %s', ([, status, reason]) => {
    const budgets = [makeBudget('b', status as object)];
    expect(planEviction({ pod: makePod(ready), budgets, nowMillis })).toMatchObject({
      outcome: 'refuse',
      refusals: [{ reason }],
    });
  });
});

describe('selectBudgets', () => {
  it.for([
    ['no selector', { selector: undefined }, false],
    ['an empty selector', { selector: {} }, true],
    ['a selector of its labels', {}, true],
    [
      'an operator that is none',
      { selector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['web'] }] } },
      false,
    ],
    [
      'a value that is none',
      { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['not a value'] }] } },
      false,
    ],
  ] as const)('of a budget with %s', ([, spec, isSelected]) => {
    expect(selectBudgets([makeBudget('b', {}, spec)], makePod(ready))).toHaveLength(isSelected ? 1 : 0);
  });
});
