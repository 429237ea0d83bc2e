import type { RefusalReason } from './flow-request.ts';
import { Histogram } from './histogram.ts';

const DURATION_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const LENGTH_BOUNDS = [0, 10, 25, 50, 100, 250, 500, 1000];
const SEATS_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 100];

/** How many requests were refused, by reason. */
export type RefusalCounts = Record<RefusalReason, number>;

/** Counts of which none is counted yet. */
export function countNoRefusals(): RefusalCounts {
  return { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0, cancelled: 0 };
}

/** What is counted of the requests of one schema at one level. Times are in seconds. */
export class SchemaCounters {
  dispatched = 0;
  readonly refused = countNoRefusals();
  requestsWaiting = 0;
  seatsWaiting = 0;
  requestsExecuting = 0;
  seatsExecuting = 0;
  /** How often the next request to be let out had to wait for more seats than were free. */
  notAccommodated = 0;
  /** Lengths of queues with the request that has just joined. */
  readonly queueLengths = new Histogram(LENGTH_BOUNDS);
  readonly estimatedSeats = new Histogram(SEATS_BOUNDS);
  /** How long those waited that were served, and those that were refused; nothing of an exempt level. */
  readonly servedWaits = new Histogram(DURATION_BOUNDS);
  readonly refusedWaits = new Histogram(DURATION_BOUNDS);
  readonly executions = { regular: new Histogram(DURATION_BOUNDS), watch: new Histogram(DURATION_BOUNDS) };

  /** Whether nothing waits or executes. */
  get isIdle(): boolean {
    return this.requestsWaiting === 0 && this.seatsExecuting === 0;
  }
}
