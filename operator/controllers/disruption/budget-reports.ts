import type { PodDisruptionBudget } from '../../../kinds/policy/pod-disruption-budget/schema.ts';
import type { EventRecorder } from '../../../platform/kube/event-recorder.ts';

/** Something to tell of a budget. */
export interface BudgetReport {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Tells by Events what was found of budgets: once when it begins to be so, and again when it has not been so in between. */
export class BudgetReports {
  readonly #events: Pick<EventRecorder, 'record'>;
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(events: Pick<EventRecorder, 'record'>) {
    this.#events = events;
  }

  /** Tells what of these reports is new. */
  tell(key: string, budget: PodDisruptionBudget, reports: readonly BudgetReport[]): void {
    const told = this.#told.get(key);
    const { uid = '' } = budget.metadata;
    const now = new Set<string>();
    for (const { type, reason, message } of reports) {
      const mark = `${uid} ${reason} ${message}`;
      now.add(mark);
      if (told?.has(mark) !== true) this.#events.record(budget, type, reason, message);
    }
    if (now.size === 0) this.#told.delete(key);
    else this.#told.set(key, now);
  }

  /** Forgets a budget that is gone. */
  forget(key: string): void {
    this.#told.delete(key);
  }
}
