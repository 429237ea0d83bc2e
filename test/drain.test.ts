import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { expectDrainWithinBudget } from './drain/drain-within-budget.ts';
import { listKwokNodes } from './kwok/start-kwok.ts';
import { type SimulatedService, startSimulatedService } from './kwok/start-simulated-service.ts';

const mergePatch = { 'content-type': 'application/merge-patch+json' };

describeCluster('kubectl drain of a simulated node, embedded', () => {
  let simulated: SimulatedService;

  beforeAll(async () => {
    simulated = await startSimulatedService(listKwokNodes(2));
  });

  afterAll(() => simulated?.stop());

  it('respects a budget, and ends when the budget allows it', async () => {
    const { service } = simulated;
    const setSchedulable = async (node: string, isSchedulable: boolean): Promise<void> => {
      const body = { spec: { unschedulable: isSchedulable ? null : true } };
      const { status, text } = await service.request('PATCH', `/api/v1/nodes/${node}`, { headers: mergePatch, body });
      expect(status, text).toBe(200);
    };
    await setSchedulable('kwok-2', false);
    await expectDrainWithinBudget({
      kubeconfig: service.kubeconfig,
      request: (method, path, options) => service.request(method, path, options),
      budgetVersion: 'policy/v1',
      ...{ from: 'kwok-1', to: 'kwok-2' },
      container: { image: 'web:1' },
      makeRoom: () => setSchedulable('kwok-2', true),
    });
  });
});
