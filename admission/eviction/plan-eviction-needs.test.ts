import { describe, expect, it } from 'vitest';

import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { planEvictionNeeds } from './plan-eviction-needs.ts';

function makeBudget(namespace: string, selector?: object): PodDisruptionBudget {
  const metadata = { name: 'b', namespace };
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { selector } } as PodDisruptionBudget;
}

describe('planEvictionNeeds', () => {
  it.for([
    ['no budgets', []],
    ['budgets that select no pods', [makeBudget('a')]],
  ] as const)('needs nothing for %s', ([, budgets]) => {
    expect(planEvictionNeeds(budgets)).toEqual([]);
  });

  it('asks about evictions only, and only where budgets are', () => {
    const budgets = [
      makeBudget('a', {}),
      makeBudget('a', { matchLabels: { a: 'b' } }),
      makeBudget('b', {}),
      makeBudget('c'),
    ];
    expect(planEvictionNeeds(budgets)).toEqual([
      {
        ...{ type: 'validating', name: 'evictions', path: '/validate/evictions', failurePolicy: 'Fail' },
        rules: [
          {
            ...{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], scope: 'Namespaced' },
            resources: ['pods/eviction'],
          },
        ],
        namespaces: new Set(['a', 'b']),
        ...{ sideEffects: 'NoneOnDryRun', timeoutSeconds: 10, isSparing: true },
      },
    ]);
  });
});
