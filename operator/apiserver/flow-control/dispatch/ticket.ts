import type { FlowRequest, RefusalReason } from './flow-request.ts';
import type { SchemaCounters } from './schema-counters.ts';
import { LinkedList, type Linked } from './linked-list.ts';
import { measureWork, spreadWork } from './seat-seconds.ts';

/** How long a request is thought to take until it has ended, as Kubernetes guesses. */
const GUESSED_NANOS = 3_000_000;

/** Where a request is. */
export type TicketState =
  /** In a queue; `decide` will be called. */
  | 'waiting'
  /** It has its seats and is to be served. */
  | 'executing'
  /** Served, or given up by its client. */
  | 'finished'
  /** Never to be served; `refusal` says why. */
  | 'rejected';

/** Whoever gave out a ticket. */
export interface TicketOwner<Details> {
  /** Takes the ticket back, whatever its state. */
  finish(ticket: Ticket<Details>): void;
  /** Refuses a request that has waited as long as it may. */
  expire(ticket: Ticket<Details>): void;
}

/** One request on its way through flow control. */
export class Ticket<Details> implements Linked<Ticket<Details>> {
  readonly request: FlowRequest<Details>;
  /** By the clock of the dispatcher. */
  readonly arrivedNanos: number;
  /** When it got its seats; undefined before. */
  startedNanos: number | undefined;
  state: TicketState = 'waiting';
  /** Set when the state is `rejected`. */
  refusal: RefusalReason | undefined;
  /** Seats that it holds after its end; fewer than asked for where the level has fewer. */
  finalSeats: number;
  additionalLatencyMillis: number;

  /** What follows belongs to the queues. The queue that it went through; undefined where there are none. */
  queue: WaitingQueue<Details> | undefined;
  /** Whose turn it waits for, or had. */
  share: Share<Details> | undefined;
  readonly counters: SchemaCounters;
  /** Work in all, as guessed on arrival. */
  readonly work: number;
  /** Progress of the level when it came. */
  arrivalProgress: number;
  previous: Ticket<Details> | undefined;
  next: Ticket<Details> | undefined;
  bucket: DeadlineBucket<Details> | undefined;
  earlier: Ticket<Details> | undefined;
  later: Ticket<Details> | undefined;
  readonly #owner: TicketOwner<Details>;

  constructor(
    owner: TicketOwner<Details>,
    request: FlowRequest<Details>,
    counters: SchemaCounters,
    nowNanos: number,
    progress: number,
  ) {
    this.#owner = owner;
    this.request = request;
    this.counters = counters;
    this.arrivedNanos = nowNanos;
    this.arrivalProgress = progress;
    this.finalSeats = request.width.finalSeats;
    this.additionalLatencyMillis = request.width.additionalLatencyMillis;
    this.work = measureWork(request.width.initialSeats, GUESSED_NANOS) + this.#measureFinalWork();
    // Named here so that all tickets have one shape.
    this.startedNanos = undefined;
    this.refusal = undefined;
    this.queue = undefined;
    this.share = undefined;
    this.previous = undefined;
    this.next = undefined;
    this.bucket = undefined;
    this.earlier = undefined;
    this.later = undefined;
  }

  /** The most seats that it holds at one time. */
  get seats(): number {
    return Math.max(this.request.width.initialSeats, this.finalSeats);
  }

  /** Does the work that it leaves behind on `seatLimit` seats at most, in a longer time. */
  narrow(seatLimit: number): void {
    if (this.finalSeats <= seatLimit) return;
    this.additionalLatencyMillis = spreadWork(this.#measureFinalWork(), seatLimit);
    this.finalSeats = seatLimit;
  }

  /** Work that was guessed too much, when it took so long. */
  measureCorrection(nanos: number): number {
    return measureWork(this.request.width.initialSeats, GUESSED_NANOS - nanos);
  }

  /**
   * To be called when the request is over, or when nobody waits for it any more: gives its seats back, or takes it out of its queue (then
   * `decide` is not called any more). Does nothing the second time.
   */
  finish(): void {
    this.#owner.finish(this);
  }

  /** To be called when it has waited as long as it may. */
  expire(): void {
    this.#owner.expire(this);
  }

  #measureFinalWork(): number {
    return this.finalSeats === 0 ? 0 : measureWork(this.finalSeats, Math.round(this.additionalLatencyMillis * 1e6));
  }
}

/** One of those among whom a level's seats are shared: the requests that wait for its turn, and what it was given so far. */
export class Share<Details> {
  /** Tells shares apart, and says whose turn it is among equals. */
  readonly index: number;
  readonly waiting = new LinkedList<Ticket<Details>>();
  readonly executing = new LinkedList<Ticket<Details>>();
  /** The progress of the level at which its next request would be let out if seats could be divided; meaningless while it is idle. */
  nextStart = 0;
  /** Seats held by its requests, also by those that have ended. */
  seatsInUse = 0;
  /** Where it stands in the order of dispatch; undefined while nobody waits. */
  orderedFinish: number | undefined = undefined;

  constructor(index: number) {
    this.index = index;
  }

  /** Whether anybody waits or is served. */
  get isActive(): boolean {
    return this.waiting.first !== undefined || this.executing.first !== undefined;
  }
}

/** One queue of a level: how much waits in it. */
export class WaitingQueue<Details> {
  readonly index: number;
  /** What all flows that meet here share, where it is queues among whom seats are shared. */
  readonly share: Share<Details>;
  length = 0;
  initialSeats = 0;
  seats = 0;
  work = 0;
  /** Requests that were let out of it and execute. */
  executing = 0;

  constructor(index: number) {
    this.index = index;
    this.share = new Share(index);
  }
}

/** Tickets that run out at the same time. */
export class DeadlineBucket<Details> {
  first: Ticket<Details> | undefined = undefined;
  readonly tick: number;
  cancel: () => void;

  constructor(tick: number, cancel: () => void) {
    this.tick = tick;
    this.cancel = cancel;
  }
}
