import type { BudgetPod } from '../../kinds/policy/pod-disruption-budget/budget-pod.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { EventLoopYield } from '../../platform/process/event-loop-yield.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { checkEnforceable } from '../check-enforceable.ts';
import { listAll } from '../list-all.ts';
import { enforcedBudgetKind } from './enforced-budget-kind.ts';
import { matchBudgets } from './match-budgets.ts';

/** How budgets are named at the API. */
export const budgetResource = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };

/** Where evictions find the budgets of a namespace, in their newest state. */
export interface BudgetSource {
  /** Those that select one of the pods, or more; all of them where no pods are given. */
  list(namespace: string, pods?: readonly BudgetPod[]): Promise<readonly PodDisruptionBudget[]>;
}

/** Reads them anew each time. */
export function readBudgets(client: ResourceClient): BudgetSource {
  return { list: (namespace) => listAll<PodDisruptionBudget>(client, { resource: budgetResource, namespace }) };
}

/** Reads them anew from a host, and leaves out those that nothing can act on. */
export function readEnforceableBudgets(
  client: ResourceClient,
  { clock, domain }: { readonly clock: Clock; readonly domain: string },
): BudgetSource {
  const source = readBudgets(client);
  return {
    async list(namespace, pods) {
      const context = { domain, nowMillis: clock.now() };
      const budgets = await source.list(namespace);
      // Checking takes longer than looking for those that matter.
      const selecting = pods === undefined ? budgets : [...new Set((await matchBudgets(budgets, pods)).flat())];
      const slices = new EventLoopYield();
      const enforceable: PodDisruptionBudget[] = [];
      for (const budget of selecting) {
        if (slices.isDue()) await slices.pause();
        const { object } = checkEnforceable(enforcedBudgetKind, budget, context);
        if (object !== undefined) enforceable.push(object);
      }
      return enforceable;
    },
  };
}
