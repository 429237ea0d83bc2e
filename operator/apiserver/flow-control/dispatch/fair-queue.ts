import { TicketList } from './ticket-list.ts';

/** One queue of a level: who waits in it, who was let out of it and is still served, and where it stands among the others. */
export class FairQueue<Details> {
  readonly index: number;
  readonly waiting = new TicketList<Details>();
  readonly executing = new TicketList<Details>();
  /** The progress of the level at which the next request would be let out if seats could be divided; meaningless while it is idle. */
  nextStart = 0;
  /** Seats held by requests that were let out of it, also by those that have ended. */
  seatsInUse = 0;
  /** Sums over those that wait. */
  initialSeatsWaiting = 0;
  seatsWaiting = 0;
  workWaiting = 0;
  /** Where it stands in the order of dispatch; undefined while nobody waits. */
  orderedFinish: number | undefined = undefined;

  constructor(index: number) {
    this.index = index;
  }

  /** Whether anybody waits or is served. */
  get isActive(): boolean {
    return this.waiting.first !== undefined || this.executing.first !== undefined;
  }

  /** Whether nothing is left of the requests that went through it. */
  get isDrained(): boolean {
    return !this.isActive && this.seatsInUse === 0;
  }
}
