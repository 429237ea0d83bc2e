import { FairQueue } from './fair-queue.ts';
import { QueueOrder } from './queue-order.ts';
import { measureWork } from './seat-seconds.ts';
import type { Ticket } from './ticket.ts';

/** Progress is wound back by this when it has come twice as far, so that sums of it stay exact. */
const EPOCH = 2 ** 51;
/** So many queues are kept while they are idle; of more, only those in use are held in memory. */
const MAX_IDLE_QUEUES = 1024;

/**
 * Fair queuing of requests that execute many at a time and whose duration is known only afterwards, as Kubernetes does it. Each queue that
 * has requests gets the same share of the seats in a virtual world in which seats can be divided; progress there (seat-seconds per
 * queue) stands for time. Who would be done first there is let out first here.
 */
export class FairQueues<Details> {
  /** Seat-seconds that each queue in use was given so far; called R in the literature. */
  progress = 0;
  /** How often progress was wound back. */
  epochs = 0;
  readonly #queues = new Map<number, FairQueue<Details>>();
  readonly #order = new QueueOrder<Details>();
  #nowNanos: number;
  #activeQueues = 0;
  /** Seats that those use who were let out, and those that they want who wait. */
  #seatsRequested = 0;
  #lastIndex = 0;
  #choices = 0;

  constructor(nowNanos: number) {
    this.#nowNanos = nowNanos;
  }

  /** The queues of which something is known, by index. */
  get queues(): ReadonlyMap<number, FairQueue<Details>> {
    return this.#queues;
  }

  /** Takes account of the time since the last call, in which nothing has changed; to be called before anything does. */
  advance(nowNanos: number, seatLimit: number): void {
    const elapsed = nowNanos - this.#nowNanos;
    this.#nowNanos = nowNanos;
    if (elapsed <= 0 || this.#activeQueues === 0) return;
    const perQueue = Math.min(this.#seatsRequested, seatLimit) / this.#activeQueues;
    this.progress += measureWork(perQueue, elapsed);
    if (this.progress >= 2 * EPOCH) this.#windBack();
  }

  /** The queue of a hand with the least work waiting; the queues of a hand take turns in coming first. */
  choose(hand: readonly number[]): FairQueue<Details> {
    let best: number | undefined;
    let leastWork = Infinity;
    for (let turn = 0; turn < hand.length; turn += 1) {
      const index = hand[(this.#choices + turn) % hand.length] ?? 0;
      const work = this.#queues.get(index)?.workWaiting ?? 0;
      if (work < leastWork) {
        leastWork = work;
        best = index;
      }
    }
    this.#choices += 1;
    return this.#open(best ?? 0);
  }

  /** Puts a request at the end of a queue. */
  join(queue: FairQueue<Details>, ticket: Ticket<Details>): void {
    if (!queue.isActive) {
      queue.nextStart = this.progress;
      this.#activeQueues += 1;
    }
    ticket.queue = queue;
    queue.waiting.push(ticket);
    this.#countWaiting(queue, ticket, 1);
    this.#settle(queue);
  }

  /** The request that is next to be let out; undefined when nobody waits. */
  findNext(): Ticket<Details> | undefined {
    return this.#order.findNext(this.#lastIndex)?.waiting.first;
  }

  /** Lets out a request that is first of its queue: from now on it executes, on at most `seatLimit` seats after its end. */
  letOut(queue: FairQueue<Details>, ticket: Ticket<Details>, seatLimit: number): void {
    this.#lastIndex = queue.index;
    queue.waiting.remove(ticket);
    this.#countWaiting(queue, ticket, -1);
    ticket.narrow(seatLimit);
    queue.executing.push(ticket);
    queue.nextStart += ticket.work;
    queue.seatsInUse += ticket.seats;
    this.#seatsRequested += ticket.seats;
    this.#settle(queue);
  }

  /** Takes a request out of its queue that is not to be let out any more. */
  leave(queue: FairQueue<Details>, ticket: Ticket<Details>): void {
    queue.waiting.remove(ticket);
    this.#countWaiting(queue, ticket, -1);
    if (!queue.isActive) this.#activeQueues -= 1;
    this.#settle(queue);
  }

  /** Ends the execution of a request that took so long; its seats stay in use until they are released. */
  end(queue: FairQueue<Details>, ticket: Ticket<Details>, elapsedNanos: number): void {
    queue.executing.remove(ticket);
    queue.nextStart -= ticket.measureCorrection(elapsedNanos);
    if (!queue.isActive) this.#activeQueues -= 1;
    this.#settle(queue);
  }

  /** Gives seats back that a request of a queue held. */
  release(queue: FairQueue<Details>, seats: number): void {
    queue.seatsInUse -= seats;
    this.#seatsRequested -= seats;
    this.#settle(queue);
  }

  /** Queues in which someone waits. */
  listWaiting(): Iterable<FairQueue<Details>> {
    return this.#order;
  }

  #open(index: number): FairQueue<Details> {
    let queue = this.#queues.get(index);
    if (queue === undefined) {
      queue = new FairQueue(index);
      this.#queues.set(index, queue);
    }
    return queue;
  }

  #countWaiting(queue: FairQueue<Details>, ticket: Ticket<Details>, sign: 1 | -1): void {
    const { seats, work } = ticket;
    queue.seatsWaiting += sign * seats;
    queue.initialSeatsWaiting += sign * ticket.request.width.initialSeats;
    queue.workWaiting += sign * work;
    this.#seatsRequested += sign * seats;
  }

  /** Gives a queue its place among the others after it has changed. */
  #settle(queue: FairQueue<Details>): void {
    const head = queue.waiting.first;
    let finish: number | undefined;
    if (head !== undefined) {
      // A queue that could not use its share while others could must not save it up.
      queue.nextStart = Math.max(queue.nextStart, head.arrivalProgress);
      finish = queue.nextStart + head.work;
    }
    if (finish !== queue.orderedFinish) {
      if (queue.orderedFinish !== undefined) this.#order.remove(queue);
      if (finish !== undefined) this.#order.add(queue, finish);
    }
    if (queue.isDrained && this.#queues.size > MAX_IDLE_QUEUES) this.#queues.delete(queue.index);
  }

  #windBack(): void {
    this.progress -= EPOCH;
    this.epochs += 1;
    for (const queue of this.#queues.values()) {
      queue.nextStart -= EPOCH;
      for (const ticket of queue.waiting) ticket.arrivalProgress -= EPOCH;
    }
    this.#order.shift(-EPOCH);
  }
}
