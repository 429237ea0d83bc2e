import type { Level } from './level.ts';
import { showSeatSeconds } from './seat-seconds.ts';
import type { Ticket, WaitingQueue } from './ticket.ts';

/** Of levels with more queues than this, only those that were used lately are shown. */
const MAX_SHOWN_IDLE_QUEUES = 1024;

/** One queue as it is. */
export interface QueueDump<Details> {
  readonly index: number;
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
  /** Requests that execute without having gone through a queue. */
  readonly unqueued: readonly Ticket<Details>[];
}

interface QueueTickets<Details> {
  readonly waiting: Ticket<Details>[];
  readonly executing: Ticket<Details>[];
}

function describeQueue<Details>(
  index: number,
  queue: WaitingQueue<Details> | undefined,
  { waiting, executing }: QueueTickets<Details>,
): QueueDump<Details> {
  const nextStart = waiting.length === 0 ? 0 : Math.min(...shares(waiting).map((share) => share.nextStart));
  return {
    ...{ index, waiting, executing },
    seatsInUse: executing.reduce((sum, { seats }) => sum + seats, 0),
    nextDispatch: showSeatSeconds(nextStart),
    workWaiting: showSeatSeconds(queue?.work ?? 0),
    initialSeatsWaiting: queue?.initialSeats ?? 0,
    seatsWaiting: queue?.seats ?? 0,
  };
}

function shares<Details>(tickets: readonly Ticket<Details>[]) {
  return [...new Set(tickets.map(({ share }) => share))].filter((share) => share !== undefined);
}

/** The requests of a level by the queue that they went to, in the order of their arrival. */
function sortByQueue<Details>({ requests }: Level<Details>): Map<number, QueueTickets<Details>> {
  const byQueue = new Map<number, QueueTickets<Details>>();
  const find = ({ queue }: Ticket<Details>): QueueTickets<Details> => {
    const index = queue?.index ?? 0;
    let tickets = byQueue.get(index);
    if (tickets === undefined) {
      tickets = { waiting: [], executing: [] };
      byQueue.set(index, tickets);
    }
    return tickets;
  };
  for (const share of requests.shares.listActive()) {
    for (const ticket of share.waiting) find(ticket).waiting.push(ticket);
    for (const ticket of share.executing) find(ticket).executing.push(ticket);
  }
  for (const { waiting } of byQueue.values()) waiting.sort((left, right) => left.arrivedNanos - right.arrivedNanos);
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
    .map((index) =>
      describeQueue(index, sharded.queues.get(index), byQueue.get(index) ?? { waiting: [], executing: [] }),
    );
}

/** A level as it is now, with its tickets themselves. */
export function describeLevel<Details>(level: Level<Details>): LevelDump<Details> {
  const { name, isExempt, isQuiescing, current: currentSeats, requests } = level;
  const { waiting, executing, seatsInUse, seatsWaiting } = requests;
  const queues = listQueues(level);
  const { refused, dispatched } = requests;
  const rejected = Object.values(refused).reduce((sum, count) => sum + count, 0);
  return {
    ...{ name, isExempt, isQuiescing, isIdle: waiting === 0 && executing === 0, currentSeats },
    ...{ waiting, executing, seatsInUse, seatsWaiting, dispatched, rejected },
    ...{ timedOut: refused['time-out'], cancelled: refused.cancelled },
    activeQueues: queues.filter((queue) => queue.waiting.length > 0).length,
    queues,
    unqueued: [...requests.unqueued],
  };
}
