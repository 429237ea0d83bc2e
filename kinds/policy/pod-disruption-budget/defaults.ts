import type { PodDisruptionBudget } from './schema.ts';

/** A budget has no defaults: an absent unhealthyPodEvictionPolicy stays absent and means IfHealthyBudget. */
export function applyPodDisruptionBudgetDefaults(_budget: PodDisruptionBudget): void {}
