import type { EventRing, HistoryEvent } from './event-ring.ts';
import type { StoreEvent, StoreWatch } from './object-store.ts';
import type { PrefixSignal, WatchSignals } from './watch-signals.ts';

// A reader that stops reading keeps what it was last given: no more than this, and one event.
const READ_BYTES = 256 << 10;

/** What a watch reads from. */
export interface WatchSource {
  readonly revision: number;
  readonly ring: EventRing;
  readonly signals: WatchSignals;
  /** Throws RevisionCompacted when changes after `revision` are no longer kept. */
  refuseCompacted(revision: number): void;
  /** Older events, from the file. */
  readEvents(
    prefix: string,
    after: number,
    upTo: number,
    max: number,
  ): Promise<{ readonly events: StoreEvent[]; readonly reached: number }>;
  forget(watch: PrefixWatch): void;
}

/** A cursor over the shared events of a prefix. */
export class PrefixWatch implements StoreWatch {
  readonly #source: WatchSource;
  readonly #signal: PrefixSignal;
  #position: number;
  #closed = false;
  #waiting: { readonly promise: Promise<void>; readonly wake: () => void } | undefined;

  constructor(source: WatchSource, prefix: string, afterRevision: number) {
    this.#source = source;
    this.#signal = source.signals.acquire(prefix, source.revision);
    this.#position = afterRevision;
  }

  get revision(): number {
    this.#skipQuiet();
    return this.#position;
  }

  get closed(): boolean {
    return this.#closed;
  }

  async read(max: number): Promise<StoreEvent[]> {
    const limit = Math.max(1, max);
    while (!this.#closed) {
      this.#source.refuseCompacted(this.#position);
      if (this.#position >= this.#source.ring.start) return this.#readRing(limit);
      const upTo = this.#source.ring.start;
      const { events, reached } = await this.#source.readEvents(this.#signal.prefix, this.#position, upTo, limit);
      this.#position = reached;
      if (events.length > 0) return events;
    }
    return [];
  }

  wait(): Promise<void> {
    // A turn of the event loop, so that a reader that ignores the end cannot starve everything else.
    if (this.#closed) return new Promise((resolve) => setImmediate(resolve));
    if (this.#position < this.#signal.lastRevision) return Promise.resolve();
    if (this.#waiting === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => {
        this.#waiting = undefined;
        resolve();
      };
      this.#waiting = { promise, wake };
      this.#signal.waiting.add(wake);
    }
    return this.#waiting.promise;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#signal.waiting.delete(waiting.wake);
      waiting.wake();
    }
    this.#source.signals.release(this.#signal);
    this.#source.forget(this);
  }

  #readRing(limit: number): StoreEvent[] {
    const events: HistoryEvent[] = [];
    const { prefix } = this.#signal;
    let bytes = 0;
    let isWhole = true;
    this.#skipQuiet();
    this.#source.ring.visitAfter(this.#position, (event) => {
      if (!event.key.startsWith(prefix)) return true;
      events.push(event);
      bytes += event.value.byteLength;
      isWhole = events.length < limit && bytes < READ_BYTES;
      return isWhole;
    });
    const next = isWhole ? this.#source.revision : events.at(-1)!.revision;
    this.#position = Math.max(this.#position, next);
    return events;
  }

  /** Moves on over what does not concern the prefix: after a long rest, nothing of the rest has to be looked at. */
  #skipQuiet(): void {
    const { lastRevision, quietSince } = this.#signal;
    if (this.#position >= lastRevision) this.#position = Math.max(this.#position, this.#source.revision);
    else if (this.#position >= quietSince) this.#position = Math.max(this.#position, lastRevision - 1);
  }
}
