import type { ObservedDemand } from '../../../../kinds/flowcontrol/priority-level-configuration/seat-demand.ts';

/** Sums up over time how many seats a level wants. */
export class DemandIntegrator {
  #sinceNanos: number;
  #seats = 0;
  #max = 0;
  #seconds = 0;
  #integral = 0;
  #squares = 0;

  constructor(nowNanos: number) {
    this.#sinceNanos = nowNanos;
  }

  /** The demand from now on. */
  set(seats: number, nowNanos: number): void {
    this.#advance(nowNanos);
    this.#seats = seats;
    if (seats > this.#max) this.#max = seats;
  }

  /** What was wanted since the last time this was asked; a new period begins. */
  takePeriod(nowNanos: number): ObservedDemand {
    this.#advance(nowNanos);
    const average = this.#integral / this.#seconds;
    const variance = this.#squares / this.#seconds - average * average;
    const observed = {
      ...{ durationMillis: this.#seconds * 1000, average, deviation: variance >= 0 ? Math.sqrt(variance) : NaN },
      max: this.#max,
    };
    this.#seconds = 0;
    this.#integral = 0;
    this.#squares = 0;
    this.#max = this.#seats;
    return observed;
  }

  #advance(nowNanos: number): void {
    const seconds = (nowNanos - this.#sinceNanos) / 1e9;
    this.#sinceNanos = nowNanos;
    this.#seconds += seconds;
    this.#integral += this.#seats * seconds;
    this.#squares += this.#seats * this.#seats * seconds;
  }
}
