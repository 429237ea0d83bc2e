import { kubernetesRules } from '../../operator/apiserver/flow-control/dispatch/queuing-rules.ts';
import { showSeatSeconds } from '../../operator/apiserver/flow-control/dispatch/seat-seconds.ts';
import { simulateRequests } from '../../operator/apiserver/flow-control/dispatch/simulate-requests.ts';
import type { QueuingAnswer, QueuingQuestion } from '../oracle/start-queuing-oracle.ts';

/** What one answer holds, with no absent lists. */
export type QueuingRun = { readonly [Name in keyof QueuingAnswer]: NonNullable<QueuingAnswer[Name]> };

/** Lets the requests of a question go through a level of ours by the rules of Kubernetes, on a simulated clock. */
export function runQueues({ queues, handSize, queueLengthLimit, seats, requests }: QueuingQuestion): QueuingRun {
  const queuing = queues === 0 ? undefined : { queues, handSize, queueLengthLimit };
  const { level, ...run } = simulateRequests({ queuing, seatLimit: seats }, requests, { rules: kubernetesRules });
  const nextDispatch = Array.from({ length: queues }, (_, index) =>
    showSeatSeconds(level.sharded.queues.get(index)?.share.nextStart ?? 0),
  );
  const { average, deviation, max } = level.takeDemand();
  return { ...run, nextDispatch, average, deviation, max };
}
