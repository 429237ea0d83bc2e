import { setTimeout as pause } from 'node:timers/promises';
import { planFlowConfiguration } from '../../kinds/flowcontrol/plan-flow-configuration.ts';
import { Dispatcher } from '../../operator/apiserver/flow-control/dispatch/dispatcher.ts';
import type { RefusalReason } from '../../operator/apiserver/flow-control/dispatch/flow-request.ts';
import type { Ticket } from '../../operator/apiserver/flow-control/dispatch/ticket.ts';
import { systemMonotonicClock, type MonotonicClock } from '../../platform/process/monotonic-clock.ts';

/**
 * A program: `node --expose-gc measure-waiters.ts COUNT`. Measures what so many requests that wait cost in memory, what is left of them when
 * they are cancelled, and how many of them are ended in one go, in how long, when all run out of time at once.
 */
interface Details {
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly path: string;
}

const count = Number(process.argv[2]);
const level = {
  ...{ apiVersion: 'flowcontrol.apiserver.test.example/v1', kind: 'PriorityLevelConfiguration', status: {} },
  metadata: { name: 'measured' },
  spec: {
    type: 'Limited',
    limited: {
      ...{ nominalConcurrencyShares: 30, lendablePercent: 0, borrowingLimitPercent: 1 },
      limitResponse: { type: 'Queue', queuing: { queues: 4096, handSize: 4, queueLengthLimit: 100 } },
    },
  },
};
const decided: Record<string, number> = {};
let mostAtOnce = 0;
let longestTurnMillis = 0;

function countDecided(): number {
  return Object.values(decided).reduce((sum, one) => sum + one, 0);
}

/** What this thread alone has worked so far: what other programs and the collector's threads do is not its own. */
function readWorkMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The machine's clock, which notes how many requests are decided about in what it calls, and how long that works. */
const clock: MonotonicClock = {
  nowNanos: () => systemMonotonicClock.nowNanos(),
  schedule: (delayMillis, callback) =>
    systemMonotonicClock.schedule(delayMillis, () => {
      const before = countDecided();
      const begunMillis = readWorkMillis();
      callback();
      longestTurnMillis = Math.max(longestTurnMillis, readWorkMillis() - begunMillis);
      mostAtOnce = Math.max(mostAtOnce, countDecided() - before);
    }),
};
const dispatcher = new Dispatcher<Details>({
  ...{ clock, totalSeats: 35 },
  configuration: planFlowConfiguration([], [level], 'test.example'),
});

function start(i: number, waitMillis: number): Ticket<Details> {
  return dispatcher.start({
    ...{ level: 'measured', schema: 'everybody', distinguisher: `user-${i % 10_000}`, type: 'regular', waitMillis },
    width: { initialSeats: 1, finalSeats: 0, additionalLatencyMillis: 0 },
    details: { user: { username: `user-${i % 10_000}`, groups: ['system:authenticated'] }, path: `/api/v1/pods/${i}` },
    decide: (refusal: RefusalReason | undefined) => {
      decided[refusal ?? 'served'] = (decided[refusal ?? 'served'] ?? 0) + 1;
    },
  });
}

function measureMemory(): { readonly heap: number; readonly resident: number } {
  for (let turn = 0; turn < 4; turn += 1) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, resident: rss };
}

function countWaiting(): number {
  return dispatcher.dump().reduce((sum, { waiting }) => sum + waiting, 0);
}

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

/** Lets so many wait, and ends them all again. */
function waitAndCancel(): {
  readonly waiting: number;
  readonly bytes: { readonly heap: number; readonly resident: number };
} {
  const tickets = Array.from({ length: count }, (_, i) => start(i, 60_000));
  const waiting = countWaiting();
  const after = measureMemory();
  for (const ticket of tickets.toReversed()) ticket.finish();
  return { waiting, bytes: { heap: after.heap - idle.heap, resident: after.resident - begun.resident } };
}

const seats = Array.from({ length: 30 }, (_, i) => start(i, 60_000));
const begun = measureMemory();
let idle = begun;
// What is compiled and kept for ever is not of the waiters.
waitAndCancel();
idle = measureMemory();
const { waiting, bytes } = waitAndCancel();
const left = { bytes: measureMemory().heap - idle.heap, waiting: countWaiting(), timers: countTimers() };

const doomed = Array.from({ length: count }, (_, i) => start(i, 1000));
while (countWaiting() > 0) await pause(100);
const expired = { timedOut: decided['time-out'] ?? 0, mostAtOnce, longestTurnMillis };
for (const ticket of [...doomed, ...seats]) ticket.finish();
console.log(JSON.stringify({ waiting, bytes, left, expired, decided, timers: countTimers() }));
