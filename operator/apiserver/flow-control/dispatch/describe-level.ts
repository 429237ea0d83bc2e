import type { Level } from './level.ts';
import { showSeatSeconds } from './seat-seconds.ts';
import type { Ticket, WaitingQueue } from './ticket.ts';

/** Of levels with more queues than this, only those that were used lately are shown. */
const MAX_SHOWN_IDLE_QUEUES = 1024;

/** One queue as it is. */
export interface QueueDump<Details> {
  readonly index: number;
  readonly waitingCount: number;
  /** In the order of their arrival. */
  readonly waiting: readonly Ticket<Details>[];
  readonly executing: readonly Ticket<Details>[];
  readonly seatsInUse: number;
  /** As Kubernetes prints them, in seat-seconds: when its next request would be let out, and the work that waits. */
  readonly nextDispatch: string;
  readonly workWaiting: string;
  readonly initialSeatsWaiting: number;
  readonly seatsWaiting: number;
}

/** One level as it is; counts go back to when it came. */
export interface LevelDump<Details> {
  readonly name: string;
  readonly isExempt: boolean;
  readonly isQuiescing: boolean;
  readonly isIdle: boolean;
  /** Seats that it has now. */
  readonly currentSeats: number;
  readonly waiting: number;
  readonly executing: number;
  readonly seatsInUse: number;
  readonly seatsWaiting: number;
  /** How many of its queues have requests that wait. */
  readonly activeQueues: number;
  readonly dispatched: number;
  /** All that were not served, those that ran out of time or were cancelled among them. */
  readonly rejected: number;
  readonly timedOut: number;
  readonly cancelled: number;
  readonly queues: readonly QueueDump<Details>[];
  /** All requests that execute, in no particular order. */
  readonly executingTickets: readonly Ticket<Details>[];
  /** Requests that execute without having gone through a queue. */
  readonly unqueued: readonly Ticket<Details>[];
}

/** What of the requests of a level belongs to one queue. */
class QueueTickets<Details> {
  /** In no particular order. */
  readonly waiting: Ticket<Details>[] = [];
  readonly executing: Ticket<Details>[] = [];
  /** The least start of the flows that wait here; undefined while none does. */
  nextStart: number | undefined;

  addWaiting(ticket: Ticket<Details>, start: number): void {
    this.waiting.push(ticket);
    if (this.nextStart === undefined || start < this.nextStart) this.nextStart = start;
  }
}

function describeQueue<Details>(
  index: number,
  queue: WaitingQueue<Details> | undefined,
  { waiting, executing, nextStart = 0 }: QueueTickets<Details>,
): QueueDump<Details> {
  return {
    ...{ index, executing },
    waitingCount: waiting.length,
    get waiting() {
      return waiting.toSorted((left, right) => left.arrivedNanos - right.arrivedNanos);
    },
    seatsInUse: executing.reduce((sum, { seats }) => sum + seats, 0),
    nextDispatch: showSeatSeconds(nextStart),
    workWaiting: showSeatSeconds(queue?.work ?? 0),
    initialSeatsWaiting: queue?.initialSeats ?? 0,
    seatsWaiting: queue?.seats ?? 0,
  };
}

/** The requests of a level by the queue that they went to. */
function sortByQueue<Details>({ requests }: Level<Details>): Map<number, QueueTickets<Details>> {
  const byQueue = new Map<number, QueueTickets<Details>>();
  const find = ({ queue }: Ticket<Details>): QueueTickets<Details> => {
    const index = queue?.index ?? 0;
    let tickets = byQueue.get(index);
    if (tickets === undefined) {
      tickets = new QueueTickets();
      byQueue.set(index, tickets);
    }
    return tickets;
  };
  for (const { waiting, executing, nextStart } of requests.shares.listActive()) {
    for (let ticket = waiting.first; ticket !== undefined; ticket = ticket.next) {
      find(ticket).addWaiting(ticket, nextStart);
    }
    for (let ticket = executing.first; ticket !== undefined; ticket = ticket.next) find(ticket).executing.push(ticket);
  }
  return byQueue;
}

function listQueues<Details>(level: Level<Details>): QueueDump<Details>[] {
  const { admission, sharded } = level.requests;
  const byQueue = sortByQueue(level);
  const indexes = new Set(byQueue.keys());
  const count = admission.queuing?.queues ?? 0;
  if (count <= MAX_SHOWN_IDLE_QUEUES) for (let index = 0; index < count; index += 1) indexes.add(index);
  return [...indexes]
    .sort((left, right) => left - right)
    .map((index) => describeQueue(index, sharded.queues.get(index), byQueue.get(index) ?? new QueueTickets()));
}

function listExecuting<Details>({ requests }: Level<Details>): Ticket<Details>[] {
  const executing: Ticket<Details>[] = [];
  for (const share of requests.shares.listActive()) {
    for (let ticket = share.executing.first; ticket !== undefined; ticket = ticket.next) executing.push(ticket);
  }
  return [...executing, ...requests.unqueued];
}

/** A level as it is now, with its tickets themselves. What there may be very many of is listed when it is asked for, as it then is. */
export function describeLevel<Details>(level: Level<Details>): LevelDump<Details> {
  const { name, isExempt, isQuiescing, current: currentSeats, requests } = level;
  const { waiting, executing, seatsInUse, seatsWaiting } = requests;
  const { refused, dispatched } = requests;
  const rejected = Object.values(refused).reduce((sum, count) => sum + count, 0);
  let activeQueues = 0;
  for (const { length } of requests.sharded.queues.values()) if (length > 0) activeQueues += 1;
  return {
    ...{ name, isExempt, isQuiescing, isIdle: waiting === 0 && executing === 0, currentSeats },
    ...{ waiting, executing, seatsInUse, seatsWaiting, dispatched, rejected },
    ...{ timedOut: refused['time-out'], cancelled: refused.cancelled },
    activeQueues,
    get queues() {
      return listQueues(level);
    },
    get executingTickets() {
      return listExecuting(level);
    },
    unqueued: [...requests.unqueued],
  };
}
