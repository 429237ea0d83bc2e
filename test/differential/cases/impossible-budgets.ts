import { create, patch, update, type DifferentialCase } from '../differential-case.ts';
import { collections, makeBudget } from './api-objects.ts';

const { budgets } = collections;
const deviation = 'impossible-budget';
const selector = { matchLabels: { app: 'web' } };

/** Budgets that never allow an eviction, of which we warn. */
export const impossibleBudgetCases: readonly DifferentialCase[] = [
  {
    name: 'budgets-that-allow-nothing',
    steps: [
      create(budgets, makeBudget('none', { selector, maxUnavailable: 0 }), { deviation }),
      create(budgets, makeBudget('no-share', { selector, maxUnavailable: '0%' }), { deviation }),
      create(budgets, makeBudget('all', { selector, minAvailable: '100%' }), { deviation }),
      create(budgets, makeBudget('some', { selector, minAvailable: '50%' })),
      patch('merge', `${budgets}/some?dryRun=All`, { spec: { minAvailable: '100%' } }, { deviation }),
      patch('merge', `${budgets}/all`, { metadata: { labels: { a: 'b' } } }),
      update(`${budgets}/none`, makeBudget('none', { selector, maxUnavailable: 1 }, {})),
    ],
  },
];
