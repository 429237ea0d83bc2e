import type { MonotonicClock } from '../../../../platform/process/monotonic-clock.ts';

interface Event {
  readonly atNanos: number;
  readonly order: number;
  callback: (() => void) | undefined;
}

function precedes(left: Event, right: Event): boolean {
  return left.atNanos < right.atNanos || (left.atNanos === right.atNanos && left.order < right.order);
}

/** Time that stands still while something happens and jumps to what happens next, for tests of many events. */
export class SimulatedClock implements MonotonicClock {
  #nowNanos = 0;
  #scheduled = 0;
  /** A heap: each event precedes those at twice its place and the next one. */
  readonly #events: Event[] = [];

  nowNanos(): number {
    return this.#nowNanos;
  }

  schedule(delayMillis: number, callback: () => void): () => void {
    this.#scheduled += 1;
    const event: Event = {
      ...{ atNanos: this.#nowNanos + Math.max(0, Math.round(delayMillis * 1e6)), order: this.#scheduled, callback },
    };
    this.#add(event);
    return () => {
      event.callback = undefined;
    };
  }

  /** Lets everything happen that is due within so much time; those at the same time in the order in which they were scheduled. */
  advance(millis: number): void {
    const untilNanos = this.#nowNanos + Math.round(millis * 1e6);
    this.#run(untilNanos);
    this.#nowNanos = untilNanos;
  }

  /** Lets everything happen, also what is scheduled meanwhile, until nothing is left; it is then as late as the last of it. */
  finish(): void {
    this.#run(Infinity);
  }

  #run(untilNanos: number): void {
    for (let event = this.#take(untilNanos); event !== undefined; event = this.#take(untilNanos)) {
      if (event.callback === undefined) continue;
      this.#nowNanos = event.atNanos;
      event.callback();
    }
  }

  #add(event: Event): void {
    const events = this.#events;
    let place = events.length;
    for (;;) {
      const above = (place - 1) >> 1;
      const parent = events[above];
      if (place === 0 || parent === undefined || precedes(parent, event)) break;
      events[place] = parent;
      place = above;
    }
    events[place] = event;
  }

  #take(untilNanos: number): Event | undefined {
    const [first] = this.#events;
    if (first === undefined || first.atNanos > untilNanos) return undefined;
    const last = this.#events.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first;
  }

  /** Puts an event in the first place, and then as far down as it belongs. */
  #sink(event: Event): void {
    const events = this.#events;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      const left = events[below];
      const right = events[below + 1];
      if (left === undefined) break;
      if (right !== undefined && precedes(right, left)) below += 1;
      const child = events[below];
      if (child === undefined || precedes(event, child)) break;
      events[place] = child;
      place = below;
    }
    events[place] = event;
  }
}
