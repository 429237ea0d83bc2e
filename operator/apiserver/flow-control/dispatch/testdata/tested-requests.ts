import type { Asked } from '../build-test-dispatcher.ts';
import type { Dispatcher } from '../dispatcher.ts';
import type { RequestWidth } from '../flow-request.ts';

/** Of a level that is tested. */
export const queuing = { queues: 64, handSize: 2, queueLengthLimit: 4 };
/** The first letters of the states of tickets, one after another. */
export const states = (asked: readonly Asked[]): string => asked.map(({ ticket }) => ticket.state[0]).join('');
/** How wide a request is. */
export const wide = (
  initialSeats: number,
  finalSeats = 0,
  additionalLatencyMillis = 0,
): { readonly width: RequestWidth } => ({
  width: { initialSeats, finalSeats, additionalLatencyMillis },
});

/** What a dispatcher shows of a level. */
export function findLevel<Details>(dispatcher: Dispatcher<Details>, name = 'tested') {
  return dispatcher.dump().find((level) => level.name === name);
}

/** Ends what executes until nothing does; returns it in the order in which it was served. */
export function finishAll<One extends Asked>(asked: readonly One[]): One[] {
  const order: One[] = [];
  for (;;) {
    const running = asked.find(({ ticket }) => ticket.state === 'executing');
    if (running === undefined) return order;
    order.push(running);
    running.ticket.finish();
  }
}
