import type { Clock } from './clock.ts';

/** A clock that stands still until it is turned, for tests. */
export class ManualClock implements Clock {
  #nowMillis: number;
  /** How far it was set back so far. */
  #setBackMillis = 0;
  #timers: { dueMillis: number; callback: () => void }[] = [];

  constructor(nowMillis = Date.UTC(2026, 0, 1)) {
    this.#nowMillis = nowMillis;
  }

  now(): number {
    return this.#nowMillis;
  }

  elapsed(): number {
    return this.#nowMillis + this.#setBackMillis;
  }

  /** Sets the clock back; no time passes. */
  setBack(millis: number): void {
    this.#nowMillis -= millis;
    this.#setBackMillis += millis;
    for (const timer of this.#timers) timer.dueMillis -= millis;
  }

  schedule(delayMillis: number, callback: () => void): () => void {
    const timer = { dueMillis: this.#nowMillis + delayMillis, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Callbacks that wait for a later time. */
  get pendingCount(): number {
    return this.#timers.length;
  }

  /** Turns the clock forward, and calls what falls due in the order of its time. */
  advance(millis: number): void {
    const endMillis = this.#nowMillis + millis;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.dueMillis <= endMillis);
      due.sort((left, right) => left.dueMillis - right.dueMillis);
      const next = due[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#nowMillis = Math.max(this.#nowMillis, next.dueMillis);
      next.callback();
    }
    this.#nowMillis = endMillis;
  }
}
