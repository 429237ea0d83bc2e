const none: readonly string[] = [];

/** A budget with more workloads waits for changes of any in its namespace: what is kept must not grow with budgets times workloads. */
const maxWorkloads = 32;

/** A workload that something was counted with. */
export interface CountedWorkload {
  readonly key: string;
  readonly namespace: string;
}

/** Which budgets were counted with which workloads, so that a change of a workload's scale counts those budgets anew. */
export class BudgetDependencies {
  readonly #keysOf = new Map<string, ReadonlySet<string>>();
  readonly #budgetsOf = new Map<string, Set<string>>();

  /** Notes the workloads that a budget was counted with, all of one namespace, in place of those before. */
  set(budget: string, workloads: ReadonlySet<string>, namespace: string): void {
    const keys: ReadonlySet<string> = workloads.size > maxWorkloads ? new Set([formatAny(namespace)]) : workloads;
    for (const key of this.#keysOf.get(budget) ?? none) if (!keys.has(key)) this.#drop(key, budget);
    if (keys.size === 0) this.#keysOf.delete(budget);
    else this.#keysOf.set(budget, keys);
    for (const key of keys) {
      const budgets = this.#budgetsOf.get(key);
      if (budgets === undefined) this.#budgetsOf.set(key, new Set([budget]));
      else budgets.add(budget);
    }
  }

  /** Keys of the budgets that a change of a workload concerns. */
  list({ key, namespace }: CountedWorkload): readonly string[] {
    return [...(this.#budgetsOf.get(key) ?? none), ...(this.#budgetsOf.get(formatAny(namespace)) ?? none)];
  }

  #drop(key: string, budget: string): void {
    const budgets = this.#budgetsOf.get(key);
    budgets?.delete(budget);
    if (budgets?.size === 0) this.#budgetsOf.delete(key);
  }
}

function formatAny(namespace: string): string {
  return `*/${namespace}`;
}
