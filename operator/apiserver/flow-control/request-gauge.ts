import { TimingHistogram, type HistogramReading } from './dispatch/histogram.ts';

const BOUNDS = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

/** How many requests there are of one sort, and for how long there were how many. */
export class RequestGauge {
  readonly #nowNanos: () => number;
  readonly #histogram: TimingHistogram;
  #count = 0;

  constructor(nowNanos: () => number) {
    this.#nowNanos = nowNanos;
    this.#histogram = new TimingHistogram(BOUNDS, nowNanos());
  }

  /** One more (1), or one less (-1). */
  change(change: 1 | -1): void {
    this.#count += change;
    this.#histogram.set(this.#count, this.#nowNanos());
  }

  /** In nanoseconds, by number. */
  read(): HistogramReading {
    return this.#histogram.read(this.#nowNanos());
  }
}

/** Requests that only read, and those that change something. */
export interface RequestGauges {
  readonly readOnly: RequestGauge;
  readonly mutating: RequestGauge;
}

/** Gauges at zero. */
export function makeRequestGauges(nowNanos: () => number): RequestGauges {
  return { readOnly: new RequestGauge(nowNanos), mutating: new RequestGauge(nowNanos) };
}
