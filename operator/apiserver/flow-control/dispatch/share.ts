import { TicketList } from './ticket-list.ts';

/** One of those among whom a level's seats are shared: the requests that wait for its turn, and what it was given so far. */
export class Share<Details> {
  /** Tells shares apart, and says whose turn it is among equals. */
  readonly index: number;
  readonly waiting = new TicketList<Details>();
  readonly executing = new TicketList<Details>();
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
