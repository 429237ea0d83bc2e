const SLICE_MILLIS = 8;

/** Keeps a long computation from holding the event loop: call `pause` between its steps. */
export class EventLoopYield {
  #sliceStart = performance.now();

  /** Returns at once while the time slice lasts; otherwise lets everything else have a turn. */
  async pause(): Promise<void> {
    if (performance.now() - this.#sliceStart < SLICE_MILLIS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#sliceStart = performance.now();
  }
}
