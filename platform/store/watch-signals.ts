// Watches that are woken in one turn of the event loop; the others follow in the next turns.
const WAKES_PER_TURN = 32;

/** What all watches of one prefix share: when it last changed, and who waits for the next change. */
export interface PrefixSignal {
  readonly prefix: string;
  /** Revision of the newest event under the prefix, or a later one when it is not known exactly. */
  lastRevision: number;
  /** There is no event under the prefix after this revision and before `lastRevision`. */
  quietSince: number;
  readonly waiting: Set<() => void>;
  watches: number;
}

/** Finds the prefixes that a change concerns, so that a write costs nothing to the watches of other prefixes. */
export class WatchSignals {
  readonly #signals = new Map<string, PrefixSignal>();
  readonly #prefixesByLength = new Map<number, number>();
  #wakes: (() => void)[] = [];
  #isWaking = false;

  /** The signal of the prefix, for one more watch. `revision` is the store's. */
  acquire(prefix: string, revision: number): PrefixSignal {
    let signal = this.#signals.get(prefix);
    if (signal === undefined) {
      signal = { prefix, lastRevision: revision, quietSince: revision, waiting: new Set(), watches: 0 };
      this.#signals.set(prefix, signal);
      this.#prefixesByLength.set(prefix.length, (this.#prefixesByLength.get(prefix.length) ?? 0) + 1);
    }
    signal.watches++;
    return signal;
  }

  /** Gives back what `acquire` returned. */
  release(signal: PrefixSignal): void {
    if (--signal.watches > 0) return;
    this.#signals.delete(signal.prefix);
    const left = this.#prefixesByLength.get(signal.prefix.length)! - 1;
    if (left > 0) this.#prefixesByLength.set(signal.prefix.length, left);
    else this.#prefixesByLength.delete(signal.prefix.length);
  }

  /** Records a change of `key` and wakes who waits for it, all of them after the current turn's work. */
  notify(key: string, revision: number): void {
    for (const length of this.#prefixesByLength.keys()) {
      if (length > key.length) continue;
      const signal = this.#signals.get(key.slice(0, length));
      if (signal === undefined) continue;
      signal.quietSince = signal.lastRevision;
      signal.lastRevision = revision;
      if (signal.waiting.size === 0) continue;
      for (const wake of signal.waiting) this.#wakes.push(wake);
      signal.waiting.clear();
    }
    if (this.#wakes.length > 0 && !this.#isWaking) {
      this.#isWaking = true;
      queueMicrotask(() => this.#wakeSome());
    }
  }

  #wakeSome(): void {
    const wakes = this.#wakes;
    const now = wakes.length > WAKES_PER_TURN ? wakes.splice(0, WAKES_PER_TURN) : wakes;
    if (now === wakes) this.#wakes = [];
    for (const wake of now) wake();
    this.#isWaking = this.#wakes.length > 0;
    if (this.#isWaking) setImmediate(() => this.#wakeSome());
  }
}
