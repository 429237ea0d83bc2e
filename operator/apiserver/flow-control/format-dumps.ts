import { formatNanoTime } from './format-nano-time.ts';
import type { LevelDump } from './dispatch/describe-level.ts';
import type { Ticket } from './dispatch/ticket.ts';
import type { FlowDetails } from './flow-pass.ts';

/** Rows of texts, the columns' names first. They are made one by one: there may be a hundred thousand. */
export type DumpRows = Iterable<readonly string[]>;

type Level = LevelDump<FlowDetails>;

/** When things happened, from the nanoseconds that the dispatcher counts. */
export interface DumpTime {
  /** As the dispatcher counts, now. */
  readonly nowNanos: number;
  /** Milliseconds since the epoch, now. */
  readonly nowMillis: number;
}

/** One row a level. */
export function* tabulateLevels(levels: readonly Level[]): DumpRows {
  yield [
    ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'],
    ...['DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
  ];
  for (const level of levels) {
    const { name, activeQueues, isIdle, isQuiescing, waiting, executing } = level;
    const { dispatched, rejected, timedOut, cancelled } = level;
    const now = [activeQueues, isIdle, isQuiescing, waiting, executing];
    yield [name, ...[...now, dispatched, rejected, timedOut, cancelled].map(String)];
  }
}

/** One row a queue. */
export function* tabulateQueues(levels: readonly Level[]): DumpRows {
  yield [
    ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse', 'NextDispatchR'],
    ...['InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum'],
  ];
  for (const { name, queues } of levels) {
    for (const queue of queues) {
      const { index, waitingCount, executing, seatsInUse, nextDispatch } = queue;
      const { initialSeatsWaiting, seatsWaiting, workWaiting } = queue;
      const counts = [index, waitingCount, executing.length, seatsInUse].map(String);
      yield [name, ...counts, nextDispatch, String(initialSeatsWaiting), String(seatsWaiting), workWaiting];
    }
  }
}

const REQUEST_COLUMNS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  // Spelled as Kubernetes does: programs read it.
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];

const DETAIL_COLUMNS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

/** Go's zero time, which Kubernetes prints for what has not happened. */
const NEVER = '0001-01-01T00:00:00Z';

function formatTime(nanos: number | undefined, { nowNanos, nowMillis }: DumpTime): string {
  return nanos === undefined ? NEVER : formatNanoTime(nowMillis, nanos - nowNanos);
}

/** A duration as Go prints it, for what is shorter than a minute. */
function formatMillis(millis: number): string {
  if (millis === 0) return '0s';
  if (millis >= 1000) return `${millis / 1000}s`;
  return millis >= 1 ? `${millis}ms` : `${millis * 1000}µs`;
}

function listDetails({ user, info }: FlowDetails): string[] {
  const { verb, path, namespace, name, apiGroup, apiVersion, resource, subresource } = info;
  const version = apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`;
  return [user.username, verb, path, namespace, name, version, resource, subresource];
}

function makeRequestRow(
  level: string,
  place: readonly [queue: number, position: number],
  ticket: Ticket<FlowDetails>,
  time: DumpTime,
  hasDetails: boolean,
): string[] {
  const { schema, distinguisher, width, details } = ticket.request;
  const { initialSeats, finalSeats, additionalLatencyMillis } = width;
  return [
    ...[level, schema, String(place[0]), String(place[1]), distinguisher],
    ...[formatTime(ticket.arrivedNanos, time), String(initialSeats), String(finalSeats)],
    ...[formatMillis(additionalLatencyMillis), formatTime(ticket.startedNanos, time)],
    ...(hasDetails ? listDetails(details) : []),
  ];
}

/** One row a request that waits or is served. What was given no queue has the index -1, and what is served the place -1. */
export function* tabulateRequests(levels: readonly Level[], time: DumpTime, hasDetails: boolean): DumpRows {
  yield [...REQUEST_COLUMNS, ...(hasDetails ? DETAIL_COLUMNS : [])];
  for (const { name, queues, unqueued } of levels) {
    for (const { index, waiting, executing } of queues) {
      for (const [position, ticket] of waiting.entries()) {
        yield makeRequestRow(name, [index, position], ticket, time, hasDetails);
      }
      for (const ticket of executing) yield makeRequestRow(name, [index, -1], ticket, time, hasDetails);
    }
    for (const ticket of unqueued) yield makeRequestRow(name, [-1, -1], ticket, time, hasDetails);
  }
}

/** One row a request that is served: who holds seats, and since when; those that have held them longest come first. */
export function* tabulateExecuting(levels: readonly Level[], time: DumpTime): DumpRows {
  const tickets = levels.flatMap(({ name, executingTickets }) => executingTickets.map((ticket) => ({ name, ticket })));
  const start = ({ ticket }: (typeof tickets)[number]): number => ticket.startedNanos ?? time.nowNanos;
  tickets.sort((left, right) => start(left) - start(right));
  yield [
    ...['PriorityLevelName', 'FlowSchemaName', 'FlowDistinguisher', 'Seats', 'StartTime', 'ExecutingSeconds'],
    ...['AuditID', ...DETAIL_COLUMNS],
  ];
  for (const entry of tickets) {
    const { name, ticket } = entry;
    const { schema, distinguisher, width, details } = ticket.request;
    const seconds = ((time.nowNanos - start(entry)) / 1e9).toFixed(3);
    yield [
      ...[name, schema, distinguisher, String(width.initialSeats), formatTime(ticket.startedNanos, time), seconds],
      ...[details.auditId, ...listDetails(details)],
    ];
  }
}
