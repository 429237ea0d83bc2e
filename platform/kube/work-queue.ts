import type { Clock } from '../process/clock.ts';
import { TurnYield } from '../process/event-loop-yield.ts';

/** What a worker asks for after a key: nothing, or another look later. */
export interface WorkResult {
  readonly againAfterMillis?: number;
}

/** The keys of one owner, in the order in which they came. */
interface ReadyKeys {
  readonly keys: Set<string>;
  /** Goes through them once: a loop begun anew would pass by all those that have gone. */
  readonly order: Iterator<string>;
}

/** Bounds of a work queue. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Handles one key; a throw means another try with backoff. Never runs twice at once for one key. */
  readonly work: (key: string) => Promise<WorkResult | undefined | void>;
  /** Told of every throw, with the number of failures in a row. */
  readonly onFailure: (key: string, error: unknown, failures: number) => void;
  /** Keys handled at once; absent means 1. */
  readonly concurrency?: number;
  /** Whose key it is; absent: all are of one. Those who have keys take turns. */
  readonly ownerOf?: (key: string) => string;
  /** Keys of one owner handled at once; absent: as many as there are handled at all. */
  readonly concurrencyOfOwner?: number;
  readonly firstBackoffMillis?: number;
  readonly maxBackoffMillis?: number;
}

/**
 * A queue of keys with work to do: a key that is added many times is handled once, one that is added while it is handled is handled
 * again after a turn of the event loop, and a failing one is tried again after a delay that doubles. Keys whose work waits for nothing do
 * not hold the event loop, however many there are, and keys of one owner do not keep those of others waiting.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** By owner, the next one first; nobody is listed without keys. */
  readonly #ready = new Map<string, ReadyKeys>();
  readonly #runningOf = new Map<string, number>();
  readonly #running = new Set<string>();
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, { dueMillis: number; cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  readonly #turns = new TurnYield();
  #idleWaiters: (() => void)[] = [];
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Asks for `key` to be handled as soon as possible. */
  add(key: string): void {
    if (this.#closed) return;
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#addReady(key);
    this.#pump();
  }

  /** Asks for `key` to be handled after a delay; an earlier request stands. */
  addAfter(key: string, delayMillis: number): void {
    if (this.#closed) return;
    const dueMillis = this.#options.clock.now() + delayMillis;
    const waiting = this.#delayed.get(key);
    if (waiting !== undefined) {
      if (waiting.dueMillis <= dueMillis) return;
      waiting.cancel();
    }
    const cancel = this.#options.clock.schedule(delayMillis, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { dueMillis, cancel });
  }

  /** Takes back what `addAfter` asked for, and what a failure or a result did. */
  cancelAfter(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
    this.#failures.delete(key);
  }

  /** Resolves when nothing is ready or running; keys that wait for their time do not count. */
  async waitUntilIdle(): Promise<void> {
    while (this.#ready.size > 0 || this.#running.size > 0) {
      await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    }
  }

  /** Drops what waits, and resolves when what runs has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    this.#ready.clear();
    this.#again.clear();
    await this.waitUntilIdle();
  }

  #addReady(key: string): void {
    const owner = this.#ownerOf(key);
    let ready = this.#ready.get(owner);
    if (ready === undefined) {
      const keys = new Set<string>();
      ready = { keys, order: keys.values() };
      this.#ready.set(owner, ready);
    }
    ready.keys.add(key);
  }

  #ownerOf(key: string): string {
    return this.#options.ownerOf?.(key) ?? '';
  }

  #pump(): void {
    const { concurrency = 1 } = this.#options;
    while (this.#running.size < concurrency) {
      const key = this.#takeNext();
      if (key === undefined) return;
      this.#running.add(key);
      void this.#run(key);
    }
  }

  #takeNext(): string | undefined {
    const { concurrencyOfOwner = Number.POSITIVE_INFINITY } = this.#options;
    for (const [owner, ready] of this.#ready) {
      const running = this.#runningOf.get(owner) ?? 0;
      if (running >= concurrencyOfOwner) continue;
      this.#ready.delete(owner);
      const next = ready.order.next();
      if (next.done === true) continue;
      ready.keys.delete(next.value);
      if (ready.keys.size > 0) this.#ready.set(owner, ready);
      this.#runningOf.set(owner, running + 1);
      return next.value;
    }
    return undefined;
  }

  #endRun(key: string): void {
    this.#running.delete(key);
    const owner = this.#ownerOf(key);
    const left = (this.#runningOf.get(owner) ?? 1) - 1;
    if (left === 0) this.#runningOf.delete(owner);
    else this.#runningOf.set(owner, left);
  }

  async #run(key: string): Promise<void> {
    try {
      if (this.#turns.isDue()) await this.#turns.pause();
      if (this.#closed) return;
      const result = await this.#options.work(key);
      this.#failures.delete(key);
      if (result?.againAfterMillis !== undefined) this.addAfter(key, result.againAfterMillis);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#options.onFailure(key, error, failures);
      const first = this.#options.firstBackoffMillis ?? 5;
      const max = this.#options.maxBackoffMillis ?? 60_000;
      this.addAfter(key, Math.min(max, first * 2 ** Math.min(failures - 1, 30)));
    } finally {
      // Work that asks for itself without waiting for anything must leave everything else its turn.
      if (this.#again.has(key)) await new Promise((resolve) => setImmediate(resolve));
      this.#endRun(key);
      if (this.#again.delete(key) && !this.#closed) this.#addReady(key);
      this.#pump();
      if (this.#ready.size === 0 && this.#running.size === 0) {
        const waiters = this.#idleWaiters;
        this.#idleWaiters = [];
        for (const resolve of waiters) resolve();
      }
    }
  }
}
