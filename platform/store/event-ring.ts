import type { StoreEvent } from './object-store.ts';

/** An event with the revision that it replaced; 0 for a creation. */
export interface HistoryEvent extends StoreEvent {
  readonly previousRevision: number;
}

// What an event costs beside its values: the object, its key and the slots that hold it.
const EVENT_OVERHEAD_BYTES = 300;

/** The newest events, shared by all watches and bounded by bytes; the oldest go first. */
export class EventRing {
  readonly #maxBytes: number;
  #events: HistoryEvent[] = [];
  #head = 0;
  #bytes = 0;
  #start: number;

  constructor(maxBytes: number, startRevision: number) {
    this.#maxBytes = maxBytes;
    this.#start = startRevision;
  }

  /** Every event after this revision is here. */
  get start(): number {
    return this.#start;
  }

  push(event: HistoryEvent): void {
    this.#events.push(event);
    this.#bytes += measureEvent(event);
    while (this.#bytes > this.#maxBytes && this.#head < this.#events.length) this.#dropOldest();
  }

  /** Drops what is at most `revision`. */
  dropUntil(revision: number): void {
    while (this.#head < this.#events.length && this.#events[this.#head]!.revision <= revision) this.#dropOldest();
    this.#start = Math.max(this.#start, revision);
  }

  /** The events after `revision` in order, one by one until `visit` returns false. `revision` must be at least `start`. */
  visitAfter(revision: number, visit: (event: HistoryEvent) => boolean): void {
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    for (; low < this.#events.length; low++) if (!visit(this.#events[low]!)) return;
  }

  #dropOldest(): void {
    const event = this.#events[this.#head]!;
    this.#bytes -= measureEvent(event);
    this.#start = event.revision;
    // The slot must let go of the event now; the array is shortened once half of it is empty.
    this.#events[this.#head++] = undefined as never;
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }
}

function measureEvent(event: HistoryEvent): number {
  return event.value.byteLength + (event.previous?.byteLength ?? 0) + EVENT_OVERHEAD_BYTES;
}
