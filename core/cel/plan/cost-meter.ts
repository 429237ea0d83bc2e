/** Thrown when an evaluation has spent its budget; no operator of the language absorbs it. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** Thrown when the caller's `interrupt` asks an evaluation to end, or one call is more work than it may do at once. */
export class EvaluationInterrupted extends Error {
  override readonly name = 'EvaluationInterrupted';
}

/** What bounds an evaluation besides its budget; all absent: nothing does. */
export interface MeterBounds {
  /** Asked every so many units; true ends the evaluation. */
  readonly interrupt?: () => boolean;
  /** The most units of one call that cannot be interrupted, such as a match of a regular expression. */
  readonly maxCallUnits?: number;
}

/** Few, as a unit may stand for much work: the size of a text that must be counted costs 1. */
const unitsBetweenLooks = 256;

/** What no call may take, whoever asks: 100 s. */
const mostCallUnits = 1_000_000_000;

/** Counts what one evaluation costs, in Kubernetes' units, and ends it when `limit` is exceeded. */
export class CostMeter {
  spent = 0;
  readonly limit: number;
  /** The most units of one call; it need not be known what takes more. */
  readonly maxCallUnits: number;
  readonly #interrupt: (() => boolean) | undefined;
  #nextLook: number;

  constructor(limit: number, bounds: MeterBounds = {}) {
    this.limit = limit;
    this.#interrupt = bounds.interrupt;
    this.maxCallUnits = Math.min(bounds.maxCallUnits ?? Infinity, mostCallUnits);
    this.#nextLook = bounds.interrupt === undefined ? Infinity : unitsBetweenLooks;
  }

  /** Throws BudgetExceeded or EvaluationInterrupted. */
  charge(units: number): void {
    this.spent += units;
    if (this.spent > this.limit) throw new BudgetExceeded();
    if (this.spent > this.#nextLook) this.#look();
  }

  /** Throws BudgetExceeded when a call of so many units cannot be paid; charges nothing. */
  admit(units: number): void {
    if (this.spent + units > this.limit) throw new BudgetExceeded();
  }

  /**
   * Announces a call that takes so many times 100 ns and cannot be interrupted: throws EvaluationInterrupted when that is more than a call
   * may do at once, and BudgetExceeded when none may. Charges nothing.
   */
  admitWork(units: number): void {
    if (units > this.maxCallUnits) {
      throw this.maxCallUnits < mostCallUnits ? new EvaluationInterrupted() : new BudgetExceeded();
    }
    this.noteWork(units);
  }

  /** Says that so many times 100 ns are spent on what costs less, which brings the next look for an interrupt nearer. */
  noteWork(units: number): void {
    this.#nextLook -= units;
    if (this.spent > this.#nextLook) this.#look();
  }

  #look(): void {
    this.#nextLook = this.spent + unitsBetweenLooks;
    if (this.#interrupt?.() === true) throw new EvaluationInterrupted();
  }
}
