import { describe, expect, it } from 'vitest';

import type { BudgetPod } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { decideEvictions, type EvictionAnswer } from './decide-evictions.ts';

const namespace = 'n';

function makePod(name: string): BudgetPod {
  const metadata = { name, namespace, labels: { app: 'web' }, creationTimestamp: '2026-01-01T00:00:00Z' };
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata, status };
}

function makeBudgets(count: number, selector: PodDisruptionBudget['spec']['selector']): PodDisruptionBudget[] {
  return Array.from({ length: count }, (_, i) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `b${i}`, namespace, generation: 1 },
    spec: { minAvailable: 1, ...(selector === undefined ? {} : { selector }) },
    status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  }));
}

/** Decides about a batch of dry runs, and tells how long the turns were in which nobody else had one, on average in milliseconds. */
async function decide(
  budgets: readonly PodDisruptionBudget[],
  count: number,
): Promise<{ answers: readonly EvictionAnswer[]; turnMillis: number }> {
  const client = { get: ({ name }: { name: string }) => Promise.resolve(makePod(name)) } as unknown as ResourceClient;
  let turns = 1;
  const state = { isDone: false };
  const turn = (): void => {
    turns += 1;
    if (!state.isDone) setImmediate(turn);
  };
  const services = {
    ...{ client, budgets: { list: () => Promise.resolve(budgets) }, clock: new ManualClock() },
    ...{ random: () => 0, onFailure: () => undefined },
  };
  const requests = Array.from({ length: count }, (_, i) => ({ podName: `p${i}`, options: {}, dryRun: true }));
  setImmediate(turn);
  const before = process.threadCpuUsage();
  const answers = await decideEvictions(services, namespace, requests);
  state.isDone = true;
  return { answers, turnMillis: process.threadCpuUsage(before).user / 1_000 / turns };
}

describe('decideEvictions', () => {
  it('leaves others their turn while it asks many budgets', async () => {
    const { answers, turnMillis } = await decide(makeBudgets(3_000, {}), 50);
    const refused = answers.filter((answer) => answer.outcome === 'refused' && answer.refusals.length === 3_000);
    expect(refused).toHaveLength(50);
    expect(turnMillis).toBeLessThan(50);
  });

  it('looks at long selectors once, however many pods are to go', async () => {
    const values = Array.from({ length: 5_000 }, (_, i) => `value-${i}`);
    const budgets = makeBudgets(50, { matchExpressions: [{ key: 'app', operator: 'NotIn', values }] });
    const before = process.threadCpuUsage();
    const { answers, turnMillis } = await decide(budgets, 50);
    expect(answers.every((answer) => answer.outcome === 'refused' && answer.refusals.length === 50)).toBe(true);
    // Each value for each pod would be millions of checks, which take seconds.
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2_000);
    expect(turnMillis).toBeLessThan(50);
  });
});
