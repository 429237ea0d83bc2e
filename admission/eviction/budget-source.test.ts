import { describe, expect, it } from 'vitest';

import { ManualClock } from '../../platform/process/manual-clock.ts';
import { MemoryClient } from '../quota/testdata/memory-client.ts';
import { budgetResource, readBudgets, readEnforceableBudgets } from './budget-source.ts';

const web = { matchLabels: { app: 'web' } };
const specs = {
  good: { minAvailable: 1, selector: web },
  other: { minAvailable: 1, selector: { matchLabels: { app: 'other' } } },
  'of-a-newer-release': { minAvailable: 1, selector: web, unhealthyPodEvictionPolicy: 'Sometimes' },
  twofold: { minAvailable: 1, maxUnavailable: 1, selector: web },
};
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'n', labels: { app: 'web' } } };

async function makeClient(): Promise<MemoryClient> {
  const client = new MemoryClient();
  for (const [name, spec] of Object.entries(specs)) {
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name, generation: 1 }, spec };
    await client.create({ resource: budgetResource, namespace: 'n' }, budget);
  }
  return client;
}

const options = { clock: new ManualClock(), domain: 'example.org' };

describe('budgets that evictions are asked of', () => {
  it('are all where everything stored is valid', async () => {
    const budgets = await readBudgets(await makeClient()).list('n');
    expect(budgets.map(({ metadata }) => metadata.name)).toEqual(Object.keys(specs));
  });

  it.for([
    ['those that can be acted on', undefined, ['good', 'other', 'of-a-newer-release']],
    ['of these those that select the pods', [pod], ['good', 'of-a-newer-release']],
    ['none for no pods', [], []],
  ] as const)('are on a host %s', async ([, pods, names]) => {
    const budgets = await readEnforceableBudgets(await makeClient(), options).list('n', pods);
    expect(budgets.map(({ metadata }) => metadata.name)).toEqual(names);
    // What was never counted reads as a count of nothing.
    for (const { status } of budgets) expect(status).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 0 });
  });
});
