import type { Clock } from '../../../../platform/process/clock.ts';

interface Timer {
  readonly atMillis: number;
  readonly order: number;
  readonly callback: () => void;
  isCancelled: boolean;
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMillis < b.atMillis || (a.atMillis === b.atMillis && a.order < b.order);
}

/** Time that passes only from event to event, for many programs in one process. */
export class VirtualTime {
  #nowMillis = 0;
  #order = 0;
  readonly #heap: Timer[] = [];

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.#nowMillis;
  }

  schedule(delayMillis: number, callback: () => void): () => void {
    const timer = { atMillis: this.#nowMillis + Math.max(0, delayMillis), order: (this.#order += 1), callback, isCancelled: false };
    this.#push(timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  sleep(delayMillis: number): Promise<void> {
    return new Promise((resolve) => this.schedule(delayMillis, resolve));
  }

  /** A clock as one program reads it: `offsetMillis` off, and `rate` times as fast. */
  makeClock(offsetMillis: number, rate = 1): Clock {
    return {
      now: () => Math.floor(offsetMillis + this.#nowMillis * rate),
      schedule: (delayMillis, callback) => this.schedule(delayMillis / rate, callback),
    };
  }

  /** Lets everything happen that happens up to a time, or while `isWanted`. */
  async run(untilMillis: number, isWanted: () => boolean = () => true): Promise<void> {
    await drain();
    while (isWanted()) {
      const timer = this.#heap[0];
      if (timer === undefined || timer.atMillis > untilMillis) {
        this.#nowMillis = Math.max(this.#nowMillis, untilMillis);
        return;
      }
      this.#pop();
      if (timer.isCancelled) continue;
      this.#nowMillis = timer.atMillis;
      timer.callback();
      await drain();
    }
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let i = heap.push(timer) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = heap[parent] as Timer;
      if (!isBefore(timer, above)) break;
      heap[i] = above;
      i = parent;
    }
    heap[i] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
      if (!isBefore(heap[child] as Timer, last)) break;
      heap[i] = heap[child] as Timer;
      i = child;
    }
    heap[i] = last;
  }
}

/** Resolves when every promise that can settle without time passing has done so. */
function drain(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
