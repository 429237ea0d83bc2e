import type { HistogramReading } from './dispatch/histogram.ts';
import type { FlowMetrics, LevelMetrics } from './dispatch/read-level-metrics.ts';
import type { SchemaCounters } from './dispatch/schema-counters.ts';
import type { FlowPlace } from './flow-place.ts';
import type { RequestGauges } from './request-gauge.ts';

/** What the names of all metrics of flow control begin with. */
export const FLOW_METRICS_PREFIX = 'apiserver_flowcontrol_';

type Labels = Readonly<Record<string, string>>;

interface MetricValue {
  readonly labels: Labels | { le: number | string };
  readonly value: number;
  readonly metricName?: string;
}

/** All that metrics are read from. */
export interface FlowMetricsReading {
  readonly metrics: FlowMetrics;
  readonly places: readonly FlowPlace[];
  readonly waiting: RequestGauges;
  readonly executing: RequestGauges;
}

/** One metric, with all its series. */
export interface FlowMetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  read(reading: FlowMetricsReading): MetricValue[];
}

function listHistogram(name: string, labels: Labels, { bounds, counts, sum }: HistogramReading): MetricValue[] {
  let cumulative = 0;
  const buckets = counts.map((count, place): MetricValue => {
    cumulative += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[place] ?? '+Inf' }, value: cumulative };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: cumulative },
  ];
}

function ofLevels(
  name: string,
  help: string,
  find: (level: LevelMetrics) => number | undefined | Readonly<Record<string, number>>,
): FlowMetricFamily {
  return {
    ...{ name, help, type: 'gauge' },
    read: ({ metrics }) =>
      metrics.levels.flatMap((level): MetricValue[] => {
        const found = find(level);
        const labels = { priority_level: level.name };
        if (found === undefined) return [];
        if (typeof found === 'number') return [{ labels, value: found }];
        return Object.entries(found).map(([bound, value]) => ({ labels: { ...labels, bound }, value }));
      }),
  };
}

function timingOfLevels(
  name: string,
  help: string,
  find: (level: LevelMetrics) => readonly (readonly [labels: Labels, reading: HistogramReading])[],
): FlowMetricFamily {
  return {
    ...{ name, help, type: 'histogram' },
    read: ({ metrics }) =>
      metrics.levels.flatMap((level) =>
        find(level).flatMap(([labels, reading]) =>
          listHistogram(FLOW_METRICS_PREFIX + name, { ...labels, priority_level: level.name }, reading),
        ),
      ),
  };
}

function ofSchemas(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  find: (counters: SchemaCounters) => number | readonly (readonly [labels: Labels, value: number])[],
): FlowMetricFamily {
  return {
    ...{ name, help, type },
    read: ({ metrics }) =>
      metrics.levels.flatMap((level) =>
        [...level.schemas].flatMap(([schema, counters]): MetricValue[] => {
          const labels = { flow_schema: schema, priority_level: level.name };
          const found = find(counters);
          if (typeof found === 'number') return [{ labels, value: found }];
          return found.map(([more, value]) => ({ labels: { ...labels, ...more }, value }));
        }),
      ),
  };
}

function histogramOfSchemas(
  name: string,
  help: string,
  find: (counters: SchemaCounters) => readonly (readonly [labels: Labels, reading: HistogramReading])[],
): FlowMetricFamily {
  return {
    ...{ name, help, type: 'histogram' },
    read: ({ metrics }) =>
      metrics.levels.flatMap((level) =>
        [...level.schemas].flatMap(([schema, counters]) =>
          find(counters)
            // A combination that has never occurred has no series.
            .filter(([, { counts }]) => counts.some((count) => count > 0))
            .flatMap(([labels, reading]) => {
              const all = { ...labels, flow_schema: schema, priority_level: level.name };
              return listHistogram(FLOW_METRICS_PREFIX + name, all, reading);
            }),
        ),
      ),
  };
}

/** Those who wait too long and those who go away count alike, as in Kubernetes. */
function listRefusals({ refused }: SchemaCounters): [Labels, number][] {
  const counts: [string, number][] = [
    ['concurrency-limit', refused['concurrency-limit']],
    ['queue-full', refused['queue-full']],
    ['time-out', refused['time-out'] + refused.cancelled],
  ];
  return counts.filter(([, count]) => count > 0).map(([reason, count]) => [{ reason }, count]);
}

/** Each name is without its prefix. */
export const flowMetricFamilies: readonly FlowMetricFamily[] = [
  ofSchemas(
    'counter',
    'rejected_requests_total',
    'Number of requests rejected by API Priority and Fairness subsystem',
    listRefusals,
  ),
  ofSchemas(
    'counter',
    'dispatched_requests_total',
    'Number of requests executed by API Priority and Fairness subsystem',
    ({ dispatched }) => dispatched,
  ),
  ofSchemas(
    'counter',
    'request_dispatch_no_accommodation_total',
    'Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats',
    ({ notAccommodated }) => (notAccommodated === 0 ? [] : notAccommodated),
  ),
  ofSchemas(
    'gauge',
    'current_inqueue_requests',
    'Number of requests currently pending in queues of the API Priority and Fairness subsystem',
    ({ requestsWaiting }) => requestsWaiting,
  ),
  ofSchemas(
    'gauge',
    'current_inqueue_seats',
    'Number of seats currently pending in queues of the API Priority and Fairness subsystem',
    ({ seatsWaiting }) => seatsWaiting,
  ),
  ofSchemas(
    'gauge',
    'current_executing_requests',
    'Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
    ({ requestsExecuting }) => requestsExecuting,
  ),
  ofSchemas(
    'gauge',
    'current_executing_seats',
    'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
    ({ seatsExecuting }) => seatsExecuting,
  ),
  histogramOfSchemas(
    'request_queue_length_after_enqueue',
    'Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued',
    ({ queueLengths }) => [[{}, queueLengths]],
  ),
  histogramOfSchemas(
    'request_wait_duration_seconds',
    'Length of time a request spent waiting in its queue',
    ({ servedWaits, refusedWaits }) => [
      [{ execute: 'true' }, servedWaits],
      [{ execute: 'false' }, refusedWaits],
    ],
  ),
  histogramOfSchemas(
    'request_execution_seconds',
    'Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem',
    ({ executions }) => [
      [{ type: 'regular' }, executions.regular],
      [{ type: 'watch' }, executions.watch],
    ],
  ),
  histogramOfSchemas(
    'work_estimated_seats',
    'Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
    ({ estimatedSeats }) => [[{}, estimatedSeats]],
  ),
  {
    name: 'watch_count_samples',
    help: 'count of watchers for mutating requests in API Priority and Fairness',
    type: 'histogram',
    read: ({ places }) =>
      places
        .filter(({ watchCounts }) => watchCounts.counts.some((count) => count > 0))
        .flatMap(({ schema, level, watchCounts }) =>
          listHistogram(
            `${FLOW_METRICS_PREFIX}watch_count_samples`,
            { flow_schema: schema, priority_level: level },
            watchCounts,
          ),
        ),
  },
  ofLevels('current_r', 'R(time of last change)', ({ progress }) => progress),
  ofLevels('dispatch_r', 'R(time of last dispatch)', ({ dispatchProgress }) => dispatchProgress),
  ofLevels('latest_s', 'S(most recently dispatched request)', ({ latestStart }) => latestStart),
  ofLevels(
    'next_s_bounds',
    'min and max, over queues, of S(oldest waiting request in queue)',
    ({ latestStart, nextStart }) => (latestStart === undefined ? undefined : { ...nextStart }),
  ),
  ofLevels(
    'next_discounted_s_bounds',
    'min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress',
    ({ latestStart, nextDiscountedStart }) => (latestStart === undefined ? undefined : { ...nextDiscountedStart }),
  ),
  {
    name: 'epoch_advance_total',
    help: "Number of times the queueset's progress meter jumped backward",
    type: 'counter',
    read: ({ metrics }) =>
      metrics.levels
        .filter(({ epochs }) => epochs > 0)
        .map(({ name, epochs }) => ({ labels: { priority_level: name, success: 'true' }, value: epochs })),
  },
  ofLevels(
    'nominal_limit_seats',
    'Nominal number of execution seats configured for each priority level',
    ({ limits }) => limits.nominal,
  ),
  ofLevels(
    'lower_limit_seats',
    'Configured lower bound on number of execution seats available to each priority level',
    ({ limits }) => limits.min,
  ),
  ofLevels(
    'upper_limit_seats',
    'Configured upper bound on number of execution seats available to each priority level',
    ({ limits }) => limits.max,
  ),
  ofLevels(
    'current_limit_seats',
    'current derived number of execution seats available to each priority level',
    ({ currentSeats }) => currentSeats,
  ),
  // An exempt level has what it wants; Kubernetes shows the target of some other level there.
  ofLevels('target_seats', 'Seat allocation targets', ({ targetSeats, currentSeats }) => targetSeats ?? currentSeats),
  ofLevels(
    'demand_seats_high_watermark',
    'High watermark, over last adjustment period, of demand_seats',
    ({ demand }) => demand.highWatermark,
  ),
  ofLevels(
    'demand_seats_average',
    'Time-weighted average, over last adjustment period, of demand_seats',
    ({ demand }) => demand.average,
  ),
  ofLevels(
    'demand_seats_stdev',
    'Time-weighted standard deviation, over last adjustment period, of demand_seats',
    ({ demand }) => demand.deviation,
  ),
  ofLevels('demand_seats_smoothed', 'Smoothed seat demands', ({ demand }) => demand.smoothed),
  {
    name: 'seat_fair_frac',
    help: "Fair fraction of server's concurrency to allocate to each priority level that can use it",
    type: 'gauge',
    read: ({ metrics }) => [{ labels: {}, value: metrics.fairFraction }],
  },
  timingOfLevels(
    'demand_seats',
    'Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (nominal number of seats for that level)',
    ({ use }) => [[{}, use.demand]],
  ),
  timingOfLevels(
    'priority_level_seat_utilization',
    'Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes)',
    ({ use }) => [[{ phase: 'executing' }, use.seatUtilization]],
  ),
  timingOfLevels(
    'priority_level_request_utilization',
    'Observations, at the end of every nanosecond, of number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)',
    ({ use }) => [
      [{ phase: 'executing' }, use.executingUtilization],
      [{ phase: 'waiting' }, use.waitingUtilization],
    ],
  ),
  {
    name: 'read_vs_write_current_requests',
    help: 'Observations, at the end of every nanosecond, of the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution',
    type: 'histogram',
    read: ({ waiting, executing }) =>
      (['mutating', 'readOnly'] as const).flatMap((kind) =>
        Object.entries({ executing, waiting }).flatMap(([phase, gauges]) =>
          listHistogram(
            `${FLOW_METRICS_PREFIX}read_vs_write_current_requests`,
            { phase, request_kind: kind },
            gauges[kind].read(),
          ),
        ),
      ),
  },
];
