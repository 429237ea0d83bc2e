import type { PodDisruptionBudget } from '../../../kinds/policy/pod-disruption-budget/schema.ts';
import type { Clock } from '../../../platform/process/clock.ts';

/** Whether those who enforce budgets do so in a namespace. */
export interface BudgetGate {
  isInForce(namespace: string): boolean;
  /** Calls `listener` whenever that may have changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
}

/** A gate that does not open in this time, in milliseconds, must not keep anybody from reading counts. */
const patienceMillis = 5_000;

interface Hold {
  readonly generation: number;
  readonly sinceMillis: number;
}

/** Budgets whose first status, and the first after each change, waits until they are in force: whoever has read it may rely on it. */
export class HeldBudgets {
  readonly #gate: BudgetGate | undefined;
  readonly #clock: Clock;
  readonly #holds = new Map<string, Hold>();

  /** Without a gate nothing waits. */
  constructor(gate: BudgetGate | undefined, clock: Clock) {
    this.#gate = gate;
    this.#clock = clock;
  }

  /** How long the status of a budget is to wait still, in milliseconds. */
  measureWait(key: string, { metadata, spec, status }: PodDisruptionBudget): number {
    const { namespace = '', generation = 1 } = metadata;
    const isCounted = (status?.observedGeneration ?? 0) >= generation;
    const selectsNothing = spec?.selector === undefined || spec.selector === null;
    if (this.#gate === undefined || isCounted || selectsNothing || this.#gate.isInForce(namespace)) {
      this.#holds.delete(key);
      return 0;
    }
    const known = this.#holds.get(key);
    const hold = known?.generation === generation ? known : { generation, sinceMillis: this.#clock.now() };
    this.#holds.set(key, hold);
    return Math.max(0, hold.sinceMillis + patienceMillis - this.#clock.now());
  }

  /** Forgets a budget that is gone. */
  forget(key: string): void {
    this.#holds.delete(key);
  }

  /** Calls `look` for every budget that waits, whenever it may be in force. Returns a function that ends this. */
  follow(look: (key: string) => void): () => void {
    const end = this.#gate?.subscribe(() => {
      for (const key of this.#holds.keys()) look(key);
    });
    return () => end?.();
  }
}
