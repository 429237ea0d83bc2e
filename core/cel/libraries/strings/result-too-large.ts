import { BudgetExceeded } from '../../plan/cost-meter.ts';

/**
 * Thrown when a call would make a text that Kubernetes would charge next to nothing for, and that does not fit in memory.
 * It counts as a budget that is spent.
 */
export class ResultTooLarge extends BudgetExceeded {
  /** The most code units of a result. */
  static readonly limit = 64 * 1024 * 1024;
}
