import { DecisionQueue } from '../../operator/apiserver/flow-control/dispatch/decision-queue.ts';
import { QueueSet } from '../../operator/apiserver/flow-control/dispatch/queue-set.ts';
import { showSeatSeconds } from '../../operator/apiserver/flow-control/dispatch/seat-seconds.ts';
import { SimulatedClock } from '../../operator/apiserver/flow-control/dispatch/simulated-clock.ts';
import { WaitDeadlines } from '../../operator/apiserver/flow-control/dispatch/wait-deadlines.ts';
import type { QueuedArrival, QueuingAnswer, QueuingQuestion } from '../oracle/start-queuing-oracle.ts';

/** What one answer holds, with no absent lists. */
export type QueuingRun = { readonly [Name in keyof QueuingAnswer]: NonNullable<QueuingAnswer[Name]> };

/** Lets the requests of a question go through a level of ours, on a simulated clock. */
export function runQueues({ queues, handSize, queueLengthLimit, seats, requests }: QueuingQuestion): QueuingRun {
  const clock = new SimulatedClock();
  const decisions = new DecisionQueue<QueuedArrival>();
  const level = new QueueSet<QueuedArrival>(
    {
      ...{ clock, decisions, onChange: () => decisions.tell() },
      deadlines: new WaitDeadlines(clock, () => undefined),
    },
    {
      ...{ isExempt: false, seatLimit: seats, seatDenominator: seats },
      queuing: queues === 0 ? undefined : { queues, handSize, queueLengthLimit },
    },
  );
  const startedNanos = requests.map(() => -1);
  const order: number[] = [];
  const arrive = (request: QueuedArrival, id: number): void => {
    const { flow, initialSeats, finalSeats, latencyNanos, durationNanos, patienceNanos } = request;
    const begin = (): void => {
      startedNanos[id] = clock.nowNanos();
      order.push(id);
      clock.schedule(durationNanos / 1e6, () => ticket.finish());
    };
    const ticket = level.start({
      ...{ level: 'level', schema: 'schema', distinguisher: flow, type: 'regular', waitMillis: 1e9, details: request },
      width: { initialSeats, finalSeats, additionalLatencyMillis: latencyNanos / 1e6 },
      decide: begin,
    });
    decisions.tell();
    if (ticket.state === 'executing') begin();
    if (patienceNanos > 0 && ticket.state !== 'rejected') {
      clock.schedule(patienceNanos / 1e6, () => ticket.state === 'waiting' && ticket.finish());
    }
  };
  for (const [id, request] of requests.entries()) clock.schedule(request.atNanos / 1e6, () => arrive(request, id));
  clock.finish();
  const nextDispatch = Array.from({ length: queues }, (_, index) =>
    showSeatSeconds(level.fairQueues.queues.get(index)?.nextStart ?? 0),
  );
  const { average, deviation, max } = level.takeDemand();
  return { startedNanos, order, nextDispatch, average, deviation, max };
}
