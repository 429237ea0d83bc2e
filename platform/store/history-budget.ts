/** How much history a store keeps beyond the current values; whichever bound is met first counts. */
export interface HistoryBounds {
  readonly seconds: number;
  readonly rows: number;
  readonly bytes: number;
}

interface Mark {
  readonly revision: number;
  readonly timeMs: number;
  readonly rows: number;
  readonly bytes: number;
}

// Marks are this fine a part of each bound.
const MARKS_PER_BOUND = 16;

/** Remembers when the store was at which revision, and tells up to where its history has outgrown the bounds. */
export class HistoryBudget {
  readonly #bounds: HistoryBounds;
  #marks: Mark[];
  #rows = 0;
  #bytes = 0;

  constructor(bounds: HistoryBounds, revision: number, timeMs: number) {
    this.#bounds = bounds;
    this.#marks = [{ revision, timeMs, rows: 0, bytes: 0 }];
  }

  /** Counts a batch of changes that brought the store to `revision`. */
  record(revision: number, rows: number, bytes: number, timeMs: number): void {
    this.#rows += rows;
    this.#bytes += bytes;
    const last = this.#marks.at(-1)!;
    const isFar =
      timeMs - last.timeMs >= (this.#bounds.seconds * 1000) / MARKS_PER_BOUND ||
      this.#rows - last.rows >= this.#bounds.rows / MARKS_PER_BOUND ||
      this.#bytes - last.bytes >= this.#bounds.bytes / MARKS_PER_BOUND;
    if (isFar) this.#marks.push({ revision, timeMs, rows: this.#rows, bytes: this.#bytes });
  }

  /** The revision before which history is to be given up, each only once; `undefined` when the bounds hold. */
  takeCompaction(timeMs: number): number | undefined {
    const due = this.#marks.findLastIndex(
      (mark) =>
        timeMs - mark.timeMs >= this.#bounds.seconds * 1000 ||
        this.#rows - mark.rows >= this.#bounds.rows ||
        this.#bytes - mark.bytes >= this.#bounds.bytes,
    );
    if (due < 0) return undefined;
    const { revision } = this.#marks[due]!;
    this.#marks = this.#marks.slice(due + 1);
    if (this.#marks.length === 0) this.#marks.push({ revision, timeMs, rows: this.#rows, bytes: this.#bytes });
    return revision;
  }
}
