import type { Clock } from './clock.ts';

interface Entry<T> {
  readonly value: Promise<T>;
  /** Until when it is believed; infinite while the question is still open. */
  untilMillis: number;
}

/**
 * Answers to questions, each believed for a time; one question is asked once however many wait for it. A question that fails is asked
 * again by the next. Holds so many answers at most, the oldest go first.
 */
export class ExpiringCache<T> {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #lifeMillis: (value: T) => number;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: {
    readonly clock: Clock;
    readonly maxEntries: number;
    readonly lifeMillis: (value: T) => number;
  }) {
    this.#clock = options.clock;
    this.#maxEntries = options.maxEntries;
    this.#lifeMillis = options.lifeMillis;
  }

  /** The answer that is known for `key`, or that `ask` gives. */
  find(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known !== undefined && this.#clock.now() < known.untilMillis) return known.value;
    const entry: Entry<T> = { value: ask(), untilMillis: Number.POSITIVE_INFINITY };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#maxEntries) {
      const oldest = this.#entries.keys().next();
      if (oldest.done !== true) this.#entries.delete(oldest.value);
    }
    void entry.value.then(
      (value) => (entry.untilMillis = this.#clock.now() + this.#lifeMillis(value)),
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry.value;
  }
}
