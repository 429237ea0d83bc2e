import { DecisionQueue } from './decision-queue.ts';
import { QueueSet, type Admission } from './queue-set.ts';
import { fairRules, type QueuingRules } from './queuing-rules.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { WaitDeadlines } from './wait-deadlines.ts';

/** One request of a simulated run; times in nanoseconds. */
export interface SimulatedRequest {
  /** Since the beginning of the run. */
  readonly atNanos: number;
  /** Its flow, of the schema `schema`. */
  readonly flow: string;
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly latencyNanos: number;
  /** How long it executes. */
  readonly durationNanos: number;
  /** How long it waits at most; 0: for ever. */
  readonly patienceNanos: number;
}

/** What became of the requests of a run. */
export interface SimulatedRun {
  /** When each began, since the beginning of the run; -1: it never did. */
  readonly startedNanos: readonly number[];
  /** Positions of the requests in the order in which they began. */
  readonly order: readonly number[];
  /** The level at the end. */
  readonly level: QueueSet<number>;
}

/** Lets requests go through one level on a simulated clock until all are over; `observe` is called whenever something has happened. */
export function simulateRequests(
  admission: Pick<Admission, 'queuing' | 'seatLimit'>,
  requests: readonly SimulatedRequest[],
  {
    observe = () => undefined,
    rules = fairRules,
  }: {
    readonly observe?: (level: QueueSet<number>, nowNanos: number) => void;
    readonly rules?: QueuingRules;
  } = {},
): SimulatedRun {
  const clock = new SimulatedClock();
  const decisions = new DecisionQueue<number>();
  const settle = (): void => {
    decisions.tell();
    observe(level, clock.nowNanos());
  };
  const level = new QueueSet<number>(
    { clock, decisions, deadlines: new WaitDeadlines(clock, () => undefined), onChange: settle },
    { ...admission, isExempt: false, seatDenominator: admission.seatLimit },
    rules,
  );
  const startedNanos = requests.map(() => -1);
  const order: number[] = [];
  const arrive = (request: SimulatedRequest, position: number): void => {
    const { flow, initialSeats, finalSeats, latencyNanos, durationNanos, patienceNanos } = request;
    const begin = (): void => {
      startedNanos[position] = clock.nowNanos();
      order.push(position);
      clock.schedule(durationNanos / 1e6, () => ticket.finish());
    };
    const ticket = level.start({
      ...{ level: 'level', schema: 'schema', distinguisher: flow, type: 'regular', waitMillis: 1e9, details: position },
      width: { initialSeats, finalSeats, additionalLatencyMillis: latencyNanos / 1e6 },
      decide: begin,
    });
    if (ticket.state === 'executing') begin();
    settle();
    if (patienceNanos > 0 && ticket.state !== 'rejected') {
      clock.schedule(patienceNanos / 1e6, () => ticket.state === 'waiting' && ticket.finish());
    }
  };
  for (const [position, request] of requests.entries()) {
    clock.schedule(request.atNanos / 1e6, () => arrive(request, position));
  }
  clock.finish();
  return { startedNanos, order, level };
}
