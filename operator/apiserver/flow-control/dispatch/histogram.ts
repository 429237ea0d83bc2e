/** Upper bounds of buckets, inclusive and rising; what is above the last falls into one more bucket. */
export type HistogramBounds = readonly number[];

/** What a histogram holds: `counts` has one entry more than `bounds`, and is not cumulative. */
export interface HistogramReading {
  readonly bounds: HistogramBounds;
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Counts values by their size. */
export class Histogram implements HistogramReading {
  readonly bounds: HistogramBounds;
  readonly counts: number[];
  sum = 0;

  constructor(bounds: HistogramBounds) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** Counts a value `weight` times. */
  observe(value: number, weight = 1): void {
    const { bounds, counts } = this;
    let position = 0;
    while (position < bounds.length && value > (bounds[position] ?? 0)) position += 1;
    counts[position] = (counts[position] ?? 0) + weight;
    this.sum += value * weight;
  }
}

/** How long a ratio had which size, in nanoseconds. */
export class TimingHistogram {
  readonly #histogram: Histogram;
  #ratio = 0;
  #sinceNanos: number;

  constructor(bounds: HistogramBounds, nowNanos: number) {
    this.#histogram = new Histogram(bounds);
    this.#sinceNanos = nowNanos;
  }

  /** The ratio from now on. */
  set(ratio: number, nowNanos: number): void {
    const elapsed = nowNanos - this.#sinceNanos;
    if (elapsed > 0) {
      this.#histogram.observe(this.#ratio, elapsed);
      this.#sinceNanos = nowNanos;
    }
    this.#ratio = ratio;
  }

  /** What was counted until now. */
  read(nowNanos: number): HistogramReading {
    this.set(this.#ratio, nowNanos);
    return this.#histogram;
  }
}
