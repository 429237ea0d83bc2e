import type { Clock } from '../process/clock.ts';
import { TurnYield } from '../process/event-loop-yield.ts';

/** What a worker asks for after a key: nothing, or another look later. */
export interface WorkResult {
  readonly againAfterMillis?: number;
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
  readonly firstBackoffMillis?: number;
  readonly maxBackoffMillis?: number;
}

/**
 * A queue of keys with work to do: a key that is added many times is handled once, one that is added while it is handled is handled
 * again after a turn of the event loop, and a failing one is tried again after a delay that doubles. Keys whose work waits for nothing do
 * not hold the event loop, however many there are.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #ready = new Set<string>();
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
    this.#ready.add(key);
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

  #pump(): void {
    const limit = this.#options.concurrency ?? 1;
    for (const key of this.#ready) {
      if (this.#running.size >= limit) return;
      this.#ready.delete(key);
      this.#running.add(key);
      void this.#run(key);
    }
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
      this.#running.delete(key);
      if (this.#again.delete(key) && !this.#closed) this.#ready.add(key);
      this.#pump();
      if (this.#ready.size === 0 && this.#running.size === 0) {
        const waiters = this.#idleWaiters;
        this.#idleWaiters = [];
        for (const resolve of waiters) resolve();
      }
    }
  }
}
