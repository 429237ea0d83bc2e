import type { FairQueue } from './fair-queue.ts';
import type { Level } from './level.ts';
import { showSeatSeconds } from './seat-seconds.ts';
import type { Ticket } from './ticket.ts';

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

function describeQueue<Details>(index: number, queue: FairQueue<Details> | undefined): QueueDump<Details> {
  return {
    index,
    waiting: queue === undefined ? [] : [...queue.waiting],
    executing: queue === undefined ? [] : [...queue.executing],
    seatsInUse: queue?.seatsInUse ?? 0,
    nextDispatch: showSeatSeconds(queue?.nextStart ?? 0),
    workWaiting: showSeatSeconds(queue?.workWaiting ?? 0),
    initialSeatsWaiting: queue?.initialSeatsWaiting ?? 0,
    seatsWaiting: queue?.seatsWaiting ?? 0,
  };
}

function listQueues<Details>({ requests }: Level<Details>): QueueDump<Details>[] {
  const { queues } = requests.fairQueues;
  const indexes = new Set(queues.keys());
  const count = requests.admission.queuing?.queues ?? 0;
  if (count <= MAX_SHOWN_IDLE_QUEUES) for (let index = 0; index < count; index += 1) indexes.add(index);
  return [...indexes].sort((left, right) => left - right).map((index) => describeQueue(index, queues.get(index)));
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
