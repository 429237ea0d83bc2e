import { describe, expect, it } from 'vitest';

import type { BudgetRefusal } from '../../kinds/policy/pod-disruption-budget/plan-eviction.ts';
import { makeEvictionDenial } from './make-eviction-denial.ts';

const processing: BudgetRefusal = {
  ...{ budgetName: 'a', reason: 'Processing', message: 'a is processed' },
  ...{ retryAfterSeconds: 10, healthyNeeded: 0 },
};
const exhausted: BudgetRefusal = { budgetName: 'b', reason: 'Exhausted', message: 'b is exhausted', healthyNeeded: 1 };
const negative: BudgetRefusal = { budgetName: 'c', reason: 'Negative', message: 'negative', healthyNeeded: 0 };
const message = "Cannot evict pod as it would violate the pod's disruption budget.";

describe('makeEvictionDenial', () => {
  it.for([
    ['says when to ask again while a budget is processed', [processing], ['a is processed'], 10],
    ['does not where a budget is exhausted', [exhausted], ['b is exhausted'], undefined],
    [
      'does not where another budget is exhausted',
      [processing, exhausted],
      ['a is processed', 'b is exhausted'],
      undefined,
    ],
    [
      'names a budget that is out of order among others',
      [exhausted, negative],
      ['b is exhausted', 'The disruption budget c is out of order: negative'],
      undefined,
    ],
  ] as const)('%s', ([, refusals, causes, retryAfterSeconds]) => {
    expect(makeEvictionDenial(refusals).status).toEqual({
      ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'TooManyRequests' },
      details: {
        causes: causes.map((text) => ({ reason: 'DisruptionBudget', message: text })),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      },
      code: 429,
    });
  });

  it('forbids when the budget is out of order', () => {
    const { status } = makeEvictionDenial([negative]);
    expect(status).toMatchObject({ code: 403, message: 'poddisruptionbudget.policy "c" is forbidden: negative' });
    expect(status.details).toEqual({ name: 'c', group: 'policy', kind: 'poddisruptionbudget' });
  });

  it('names every budget when the first is out of order', () => {
    expect(makeEvictionDenial([negative, exhausted]).status.details?.causes).toHaveLength(2);
  });
});
