import type { KindDefinition } from '../../kinds/kind-definition.ts';
import { podDisruptionBudgetKind } from '../../kinds/policy/pod-disruption-budget/definition.ts';
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget/schema.ts';

const { strategy } = podDisruptionBudgetKind;

/**
 * The kind of budgets as those who act on them check it: what a newer release knows as `unhealthyPodEvictionPolicy` is for them no fault,
 * but a reason to keep unhealthy pods.
 */
export const enforcedBudgetKind: KindDefinition<PodDisruptionBudget> = {
  ...podDisruptionBudgetKind,
  strategy: {
    ...strategy,
    validateCreate(budget, context) {
      const { unhealthyPodEvictionPolicy: _policy, ...spec } = budget.spec;
      return strategy.validateCreate({ ...budget, spec }, context);
    },
  },
};
