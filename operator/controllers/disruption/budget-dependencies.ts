const none: readonly string[] = [];

/** Which budgets were counted with which workloads, so that a change of a workload's scale counts those budgets anew. */
export class BudgetDependencies {
  readonly #workloadsOf = new Map<string, ReadonlySet<string>>();
  readonly #budgetsOf = new Map<string, Set<string>>();

  /** Notes the workloads that a budget was counted with, in place of those before. */
  set(budget: string, workloads: ReadonlySet<string>): void {
    for (const workload of this.#workloadsOf.get(budget) ?? none)
      if (!workloads.has(workload)) this.#drop(workload, budget);
    if (workloads.size === 0) this.#workloadsOf.delete(budget);
    else this.#workloadsOf.set(budget, workloads);
    for (const workload of workloads) {
      const budgets = this.#budgetsOf.get(workload);
      if (budgets === undefined) this.#budgetsOf.set(workload, new Set([budget]));
      else budgets.add(budget);
    }
  }

  /** Keys of the budgets that were counted with a workload. */
  list(workload: string): readonly string[] {
    const budgets = this.#budgetsOf.get(workload);
    return budgets === undefined ? none : [...budgets];
  }

  #drop(workload: string, budget: string): void {
    const budgets = this.#budgetsOf.get(workload);
    budgets?.delete(budget);
    if (budgets?.size === 0) this.#budgetsOf.delete(workload);
  }
}
