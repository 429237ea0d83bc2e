import { measureWork } from './seat-seconds.ts';
import { ShareOrder } from './share-order.ts';
import type { Share, Ticket } from './ticket.ts';

/** Progress is wound back by this when it has come twice as far, so that sums of it stay exact. */
const EPOCH = 2 ** 51;

/**
 * Fair queuing of requests that execute many at a time and whose duration is known only afterwards, as Kubernetes does it. Each share with
 * requests gets the same part of the seats in a virtual world in which seats can be divided; progress there (seat-seconds per share) stands
 * for time. Whose request would be done first there is let out first here.
 */
export class FairShares<Details> {
  /** Seat-seconds that each share in use was given so far; called R in the literature. */
  progress = 0;
  /** How often progress was wound back. */
  epochs = 0;
  /** Progress at the time when a request was let out last, and its start in the virtual world; undefined before the first. */
  dispatched: { readonly progress: number; readonly start: number } | undefined = undefined;
  readonly #maxLeadNanos: number;
  readonly #active = new Set<Share<Details>>();
  readonly #order = new ShareOrder<Details>();
  #nowNanos: number;
  /** Seats that those use who were let out, and those that they want who wait. */
  #seatsRequested = 0;
  #lastIndex = 0;

  /** `maxLeadNanos`: see `QueuingRules`. */
  constructor(nowNanos: number, maxLeadNanos: number) {
    this.#nowNanos = nowNanos;
    this.#maxLeadNanos = maxLeadNanos;
  }

  /** Takes account of the time since the last call, in which nothing has changed; to be called before anything does. */
  advance(nowNanos: number, seatLimit: number): void {
    const elapsed = nowNanos - this.#nowNanos;
    this.#nowNanos = nowNanos;
    if (elapsed <= 0 || this.#active.size === 0) return;
    const perShare = Math.min(this.#seatsRequested, seatLimit) / this.#active.size;
    this.progress += measureWork(perShare, elapsed);
    if (this.progress >= 2 * EPOCH) this.#windBack();
  }

  /** Lets a request wait for the turn of a share. */
  join(share: Share<Details>, ticket: Ticket<Details>): void {
    if (!share.isActive) {
      share.nextStart = this.progress;
      this.#active.add(share);
    }
    ticket.share = share;
    share.waiting.push(ticket);
    this.#seatsRequested += ticket.seats;
    this.#settle(share);
  }

  /** The request that is next to be let out; undefined when nobody waits. */
  findNext(): Ticket<Details> | undefined {
    return this.#order.findNext(this.#lastIndex)?.waiting.first;
  }

  /** Lets out a request that is first of its share: from now on it executes, on at most `seatLimit` seats after its end. */
  letOut(share: Share<Details>, ticket: Ticket<Details>, seatLimit: number): void {
    this.#lastIndex = share.index;
    this.dispatched = { progress: this.progress, start: share.nextStart };
    // Who used seats that nobody else wanted was given more than its part, and is not to make up for all of it.
    const leastProgress = share.nextStart - measureWork(seatLimit, this.#maxLeadNanos);
    if (this.progress < leastProgress) this.progress = leastProgress;
    share.waiting.remove(ticket);
    this.#seatsRequested -= ticket.seats;
    ticket.narrow(seatLimit);
    share.executing.push(ticket);
    share.nextStart += ticket.work;
    share.seatsInUse += ticket.seats;
    this.#seatsRequested += ticket.seats;
    this.#settle(share);
  }

  /** Lets a request wait no more that is not to be let out. */
  leave(share: Share<Details>, ticket: Ticket<Details>): void {
    share.waiting.remove(ticket);
    this.#seatsRequested -= ticket.seats;
    this.#settle(share);
  }

  /** Ends the execution of a request that took so long; its seats stay in use until they are released. */
  end(share: Share<Details>, ticket: Ticket<Details>, elapsedNanos: number): void {
    share.executing.remove(ticket);
    share.nextStart -= ticket.measureCorrection(elapsedNanos);
    this.#settle(share);
  }

  /** Gives seats back that a request of a share held. */
  release(share: Share<Details>, seats: number): void {
    share.seatsInUse -= seats;
    this.#seatsRequested -= seats;
  }

  /** Shares for whose turn someone waits, the next one first. */
  listWaiting(): Iterable<Share<Details>> {
    return this.#order;
  }

  /** Shares with requests that wait or execute. */
  listActive(): Iterable<Share<Details>> {
    return this.#active;
  }

  /** Gives a share its place among the others after it has changed. */
  #settle(share: Share<Details>): void {
    const head = share.waiting.first;
    let finish: number | undefined;
    if (head !== undefined) {
      // Who could not use a share while others could must not save it up.
      share.nextStart = Math.max(share.nextStart, head.arrivalProgress);
      finish = share.nextStart + head.work;
    } else if (share.executing.first === undefined) {
      this.#active.delete(share);
    }
    if (finish === share.orderedFinish) return;
    if (share.orderedFinish !== undefined) this.#order.remove(share);
    if (finish !== undefined) this.#order.add(share, finish);
  }

  #windBack(): void {
    this.progress -= EPOCH;
    this.epochs += 1;
    for (const share of this.#active) {
      share.nextStart -= EPOCH;
      for (const ticket of share.waiting) ticket.arrivalProgress -= EPOCH;
    }
    this.#order.shift(-EPOCH);
  }
}
