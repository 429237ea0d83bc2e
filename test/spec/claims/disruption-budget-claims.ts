import type { Claim } from './claim.ts';

/** Of rows about fields of disruption budgets. */
export const disruptionBudgetClaims: readonly Claim[] = [
  { rows: /^Resources and their fields\/PodDisruptionBudget#1$/, part: 'a heading' },
  { rows: /^Resources and their fields\/PodDisruptionBudget#10$/, part: 'a heading' },
  { rows: /^Resources and their fields\/PodDisruptionBudget#18$/, part: 'a heading' },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#2$/,
    tests: /count-expected-pods\.test.*(maxUnavailable|may be missing)/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#3$/,
    tests: /count-expected-pods\.test.*(a number to keep|a percentage to keep)/,
  },
  { rows: /^Resources and their fields\/PodDisruptionBudget#4$/, tests: /plan-eviction\.test.*selectBudgets/ },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#5$/,
    tests: /plan-eviction\.test.*(AlwaysAllow|an unhealthy pod of a healthy budget)/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#6$/,
    tests: /plan-budget-status\.test.*counts pods that are Ready/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#7$/,
    tests: /plan-eviction\.test.*an unhealthy pod of a healthy budget/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#8$/,
    tests: /plan-eviction\.test.*an unhealthy pod under AlwaysAllow/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#9$/,
    tests: /plan-eviction\.test.*under a policy that nobody knows/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#11$/,
    tests: /\[PodDisruptionBudget\.status\.currentHealthy/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#12$/,
    tests: /\[PodDisruptionBudget\.status\.desiredHealthy/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#13$/,
    tests: /\[PodDisruptionBudget\.status\.disruptionsAllowed/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#14$/,
    tests: /\[PodDisruptionBudget\.status\.expectedPods/,
  },
  { rows: /^Resources and their fields\/PodDisruptionBudget#15$/, tests: /test\/disruption-controller/ },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#19$/,
    tests: /\[PodDisruptionBudget\.status\.conditions/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#16$/,
    tests: /plan-budget-status\.test.*a grant of two minutes/,
  },
  { rows: /^Resources and their fields\/PodDisruptionBudget#17$/, tests: /plan-eviction\.test.*whose spec is newer/ },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#20$/,
    tests: /\[PodDisruptionBudget\.status\.conditions\.status/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#21$/,
    tests: /\[PodDisruptionBudget\.status\.conditions\.lastTransitionTime/,
  },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#22$/,
    tests: /\[PodDisruptionBudget\.status\.conditions\.reason/,
  },
  { rows: /^Resources and their fields\/PodDisruptionBudget#23$/, tests: /\[PodDisruptionBudget\.status\.conditions/ },
  {
    rows: /^Resources and their fields\/PodDisruptionBudget#24$/,
    tests: /\[PodDisruptionBudget\.status\.conditions\.observedGeneration/,
  },
];
