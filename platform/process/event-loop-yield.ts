const SLICE_MILLIS = 8;

/** Keeps a long computation from holding the event loop: call `pause` between its steps. */
export class EventLoopYield {
  #sliceStart = performance.now();

  /** Whether the time slice is over: where steps are short, to be asked before `pause`, which takes a turn of the queue in any case. */
  isDue(): boolean {
    return performance.now() - this.#sliceStart >= SLICE_MILLIS;
  }

  /** Returns at once while the time slice lasts; otherwise lets everything else have a turn. */
  async pause(): Promise<void> {
    if (!this.isDue()) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#sliceStart = performance.now();
  }
}
