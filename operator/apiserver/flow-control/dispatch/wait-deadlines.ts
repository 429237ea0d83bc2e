import type { MonotonicClock } from '../../../../platform/process/monotonic-clock.ts';
import { DeadlineBucket, type Ticket } from './ticket.ts';

/** Deadlines that are this near to each other share a timer: nobody minds some milliseconds, and there are few timers. */
const TICK_NANOS = 5_000_000;
/** How many tickets run out in one go, and how long everybody else has before the next ones do. */
const MAX_AT_ONCE = 1000;
const PAUSE_MILLIS = 5;

/** Until when tickets may wait. Adding and removing cost the same however many wait; what is removed leaves nothing behind. */
export class WaitDeadlines<Details> {
  readonly #clock: MonotonicClock;
  readonly #expire: (tickets: readonly Ticket<Details>[]) => void;
  readonly #buckets = new Map<number, DeadlineBucket<Details>>();
  /** Buckets whose time has come, some tickets of which have not been told yet. */
  #due: DeadlineBucket<Details>[] = [];
  #isPausing = false;

  /** `expire` gets the tickets that have run out; they are removed already. */
  constructor(clock: MonotonicClock, expire: (tickets: readonly Ticket<Details>[]) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  /** How many timers run. */
  get timerCount(): number {
    return this.#buckets.size;
  }

  /** Lets a ticket run out `delayMillis` after `nowNanos`, or some milliseconds later. */
  add(ticket: Ticket<Details>, nowNanos: number, delayMillis: number): void {
    const tick = Math.ceil((nowNanos + delayMillis * 1e6) / TICK_NANOS);
    let bucket = this.#buckets.get(tick);
    if (bucket === undefined) {
      bucket = new DeadlineBucket(tick, this.#arm(tick, (tick * TICK_NANOS - nowNanos) / 1e6));
      this.#buckets.set(tick, bucket);
    }
    ticket.bucket = bucket;
    ticket.later = bucket.first;
    if (bucket.first !== undefined) bucket.first.earlier = ticket;
    bucket.first = ticket;
  }

  /** Lets a ticket run out no more; nothing when it has no deadline. */
  remove(ticket: Ticket<Details>): void {
    const { bucket, earlier, later } = ticket;
    if (bucket === undefined) return;
    if (earlier === undefined) bucket.first = later;
    else earlier.later = later;
    if (later !== undefined) later.earlier = earlier;
    ticket.bucket = undefined;
    ticket.earlier = undefined;
    ticket.later = undefined;
    if (bucket.first === undefined) {
      bucket.cancel();
      this.#buckets.delete(bucket.tick);
    }
  }

  #arm(tick: number, delayMillis: number): () => void {
    return this.#clock.schedule(Math.max(0, delayMillis), () => {
      const bucket = this.#buckets.get(tick);
      if (bucket === undefined) return;
      this.#due.push(bucket);
      if (!this.#isPausing) this.#runOut();
    });
  }

  #runOut(): void {
    const expired: Ticket<Details>[] = [];
    let told = 0;
    for (const bucket of this.#due) {
      while (bucket.first !== undefined && expired.length < MAX_AT_ONCE) {
        expired.push(bucket.first);
        this.remove(bucket.first);
      }
      if (bucket.first !== undefined) break;
      told += 1;
    }
    this.#due = this.#due.slice(told);
    if (this.#due.length > 0) {
      this.#isPausing = true;
      this.#clock.schedule(PAUSE_MILLIS, () => {
        this.#isPausing = false;
        this.#runOut();
      });
    }
    this.#expire(expired);
  }
}
