import { WaitingQueue, type Ticket } from './ticket.ts';

/** So many queues are kept while they are empty; of more, only those in use are held in memory. */
const MAX_EMPTY_QUEUES = 1024;

/** The queues of a level, into which flows are sharded. */
export class ShardedQueues<Details> {
  readonly #queues = new Map<number, WaitingQueue<Details>>();
  #choices = 0;

  /** The queues of which something is known, by index. */
  get queues(): ReadonlyMap<number, WaitingQueue<Details>> {
    return this.#queues;
  }

  /** The queue of a hand with the least work waiting; the queues of a hand take turns in coming first. */
  choose(hand: readonly number[]): WaitingQueue<Details> {
    let best = 0;
    let leastWork = Infinity;
    for (let turn = 0; turn < hand.length; turn += 1) {
      const index = hand[(this.#choices + turn) % hand.length] ?? 0;
      const work = this.#queues.get(index)?.work ?? 0;
      if (work < leastWork) {
        leastWork = work;
        best = index;
      }
    }
    this.#choices += 1;
    return this.#open(best);
  }

  /** Counts a request that waits in a queue. */
  add(queue: WaitingQueue<Details>, ticket: Ticket<Details>): void {
    ticket.queue = queue;
    this.#count(queue, ticket, 1);
  }

  /** Counts a request no more that waited in a queue. To be called before its width changes. */
  remove(queue: WaitingQueue<Details>, ticket: Ticket<Details>): void {
    this.#count(queue, ticket, -1);
    this.#close(queue);
  }

  /** Counts a request that begins to execute. */
  begin(queue: WaitingQueue<Details>): void {
    queue.executing += 1;
  }

  /** Counts a request no more that executed. */
  end(queue: WaitingQueue<Details>): void {
    queue.executing -= 1;
    this.#close(queue);
  }

  #open(index: number): WaitingQueue<Details> {
    let queue = this.#queues.get(index);
    if (queue === undefined) {
      queue = new WaitingQueue(index);
      this.#queues.set(index, queue);
    }
    return queue;
  }

  #close(queue: WaitingQueue<Details>): void {
    if (this.#queues.size <= MAX_EMPTY_QUEUES) return;
    if (queue.length === 0 && queue.executing === 0) this.#queues.delete(queue.index);
  }

  #count(queue: WaitingQueue<Details>, { seats, work, request }: Ticket<Details>, sign: 1 | -1): void {
    queue.length += sign;
    queue.seats += sign * seats;
    queue.initialSeats += sign * request.width.initialSeats;
    queue.work += sign * work;
  }
}
