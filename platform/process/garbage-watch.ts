/** A collection that takes more checks than that is not waited for. */
const MAX_COLLECTION_CHECKS = 50;
/** What comes within so many checks of a collection is a flood, in which memory grows unless it is collected at once. */
const FLOOD_CHECKS = 15;
/** Other garbage waits for the next collection until so many checks after the last one began, */
const CALM_CHECKS = 100;
/** or until it is so many times as much. */
const PATIENCE_FACTOR = 4;

/**
 * Decides when memory outside of V8's heap is to be looked through for garbage: when more than `maxBytes` may be that, or more than a quarter
 * of what is in use. A collection takes a busy program tens of milliseconds of processor time. So where garbage is made all the time, though
 * not in floods, up to four times `maxBytes` pile up rather than that one collection follows another.
 */
export class GarbageWatch {
  readonly #maxBytes: number;
  #inUseBytes = Number.POSITIVE_INFINITY;
  /** Checks for which a collection is waited for. */
  #checksToWait = 0;
  #endedBelowBytes = 0;
  #checksSinceLast = CALM_CHECKS;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Told what is allocated now, says whether to collect; the next calls wait for that. */
  check(allocatedBytes: number): boolean {
    this.#checksSinceLast += 1;
    if (this.#checksToWait > 0) {
      this.#checksToWait = allocatedBytes < this.#endedBelowBytes ? 0 : this.#checksToWait - 1;
      // What is left after a collection is in use.
      if (this.#checksToWait === 0) this.#inUseBytes = allocatedBytes;
      return false;
    }
    this.#inUseBytes = Math.min(this.#inUseBytes, allocatedBytes);
    const isFlood = this.#checksSinceLast <= FLOOD_CHECKS;
    const factor = isFlood || this.#checksSinceLast >= CALM_CHECKS ? 1 : PATIENCE_FACTOR;
    return allocatedBytes - this.#inUseBytes > Math.max(factor * this.#maxBytes, this.#inUseBytes / 4);
  }

  /** To be called when a collection begins; it has ended when less than `endedBelowBytes` are allocated. */
  await(endedBelowBytes: number): void {
    this.#endedBelowBytes = endedBelowBytes;
    this.#checksToWait = MAX_COLLECTION_CHECKS;
    this.#checksSinceLast = 0;
  }
}
