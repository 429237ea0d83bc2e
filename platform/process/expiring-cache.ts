import { readElapsed, type Clock } from './clock.ts';

interface Entry<T> {
  readonly value: Promise<T>;
  /** Since when it is believed, and for how long; absent while the question is still open. */
  belief?: { readonly sinceMillis: number; readonly sinceElapsed: number; readonly lifeMillis: number };
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
    if (known !== undefined && this.#isBelieved(known)) return known.value;
    const entry: Entry<T> = { value: ask() };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#maxEntries) {
      const oldest = this.#entries.keys().next();
      if (oldest.done !== true) this.#entries.delete(oldest.value);
    }
    void entry.value.then(
      (value) => {
        const [sinceMillis, sinceElapsed] = [this.#clock.now(), readElapsed(this.#clock)];
        entry.belief = { sinceMillis, sinceElapsed, lifeMillis: this.#lifeMillis(value) };
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry.value;
  }

  /** Has the question asked again by the next, if this answer of `find` is still what is known. */
  forget(key: string, known: Promise<T>): void {
    if (this.#entries.get(key)?.value === known) this.#entries.delete(key);
  }

  /** By the time that has passed, and by the clock, which goes on while a machine sleeps: one that was set back proves nothing. */
  #isBelieved({ belief }: Entry<T>): boolean {
    if (belief === undefined) return true;
    const age = this.#clock.now() - belief.sinceMillis;
    return age >= 0 && age < belief.lifeMillis && readElapsed(this.#clock) - belief.sinceElapsed < belief.lifeMillis;
  }
}
