import { describe, expect, it } from 'vitest';

import type { BudgetPod } from './budget-pod.ts';
import { chargeBudget, dropCharges } from './charge-budget.ts';
import type { PodDisruptionBudget } from './schema.ts';

const nowMillis = Date.parse('2026-01-31T12:00:00.900Z');
const pod: BudgetPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'n', creationTimestamp: '2026-01-31T11:00:00Z' },
};

function makeBudget(status: Partial<PodDisruptionBudget['status']>): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'n', generation: 1, resourceVersion: '5' },
    spec: {},
    status: {
      observedGeneration: 1,
      disruptionsAllowed: 2,
      currentHealthy: 5,
      desiredHealthy: 3,
      expectedPods: 5,
      ...status,
    },
  };
}

describe('chargeBudget', () => {
  it('takes a disruption and notes the pod', () => {
    const budget = makeBudget({ disruptedPods: { z: '2026-01-31T11:59:59Z' } });
    expect(chargeBudget(budget, pod, nowMillis)).toEqual({
      ...budget,
      status: {
        ...budget.status,
        disruptionsAllowed: 1,
        disruptedPods: { z: '2026-01-31T11:59:59Z', a: '2026-01-31T12:00:00Z' },
      },
    });
  });

  it('says with the last disruption that there are no more', () => {
    const condition = { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '' };
    const budget = makeBudget({
      disruptionsAllowed: 1,
      conditions: [{ ...condition, observedGeneration: 1, lastTransitionTime: '2026-01-31T11:00:00Z' }],
    });
    expect(chargeBudget(budget, pod, nowMillis).status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [
        {
          ...{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' },
          ...{ observedGeneration: 1, lastTransitionTime: '2026-01-31T12:00:00Z' },
        },
      ],
    });
  });

  it.for([
    ['to now', '2026-01-31T11:59:00Z', '2026-01-31T12:00:00Z'],
    ['to a later second within the same', '2026-01-31T12:00:00Z', '2026-01-31T12:00:01Z'],
  ] as const)('renews a charge that it holds %s, and takes nothing', ([, earlier, renewed]) => {
    const budget = makeBudget({ disruptionsAllowed: 0, disruptedPods: { a: earlier } });
    const { status } = chargeBudget(budget, pod, nowMillis);
    expect(status).toEqual({ ...budget.status, disruptedPods: { a: renewed } });
  });

  it('charges again for a pod that has the name of an earlier one', () => {
    const budget = makeBudget({ disruptedPods: { a: '2026-01-31T10:00:00Z' } });
    expect(chargeBudget(budget, pod, nowMillis).status).toMatchObject({
      disruptionsAllowed: 1,
      disruptedPods: { a: '2026-01-31T12:00:00Z' },
    });
  });

  it('changes nothing in place', () => {
    const budget = makeBudget({});
    const before = structuredClone(budget);
    chargeBudget(budget, pod, nowMillis);
    expect(budget).toEqual(before);
  });
});

describe('dropCharges', () => {
  const budget = makeBudget({ disruptedPods: { a: '2026-01-31T12:00:00Z', b: '2026-01-31T11:59:00Z' } });
  it.for([
    ['drops one of several', [['a', '2026-01-31T12:00:00Z']], { b: '2026-01-31T11:59:00Z' }],
    [
      'drops all',
      [
        ['a', '2026-01-31T12:00:00Z'],
        ['b', '2026-01-31T11:59:00Z'],
      ],
      undefined,
    ],
  ] as const)('%s, and gives nothing back', ([, charges, disruptedPods]) => {
    const status = dropCharges(budget, new Map(charges));
    expect(status).toEqual({ ...budget.status, disruptedPods });
  });

  it.for<[string, [string, string][]]>([
    ['the charge was renewed by somebody else', [['a', '2026-01-31T11:59:59Z']]],
    ['it is gone', [['z', '2026-01-31T12:00:00Z']]],
    ['there is none to drop', []],
  ])('has nothing to do where %s', ([, charges]) => {
    expect(dropCharges(budget, new Map(charges))).toBeUndefined();
  });
});
