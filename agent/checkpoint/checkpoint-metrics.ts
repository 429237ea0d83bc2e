import { Counter, Gauge, Histogram } from 'prom-client';

import type { Registry } from '../../platform/process/metrics.ts';
import { type CheckpointFailure, checkpointFailures } from './checkpoint-record.ts';
import type { RetentionReason } from './plan-retention.ts';

/** What is measured when somebody asks for the metrics. */
export interface CheckpointGauges {
  readonly waiting: number;
  readonly inProgress: number;
  readonly archives: number;
  readonly pinnedArchives: number;
  readonly archiveBytes: number;
  readonly freeBytes: number | undefined;
}

const gauges: readonly [keyof CheckpointGauges, string, string][] = [
  ['waiting', 'bailiwick_agent_checkpoints_waiting', 'Requests for a checkpoint that wait for others.'],
  ['inProgress', 'bailiwick_agent_checkpoints_in_progress', 'Containers that the runtime is dumping.'],
  ['archives', 'bailiwick_agent_checkpoint_archives', 'Archives that are kept.'],
  ['pinnedArchives', 'bailiwick_agent_checkpoint_pinned_archives', 'Archives that are never removed by retention.'],
  ['archiveBytes', 'bailiwick_agent_checkpoint_archive_bytes', 'Bytes of the archives that are kept.'],
  ['freeBytes', 'bailiwick_agent_checkpoint_free_bytes', 'Free bytes of the file system that holds the archives.'],
];

/** The metrics of checkpoints. */
export class CheckpointMetrics {
  readonly #requests: Counter<'result'>;
  readonly #duration: Histogram;
  readonly #size: Histogram;
  readonly #removals: Counter<'reason'>;

  constructor(registry: Registry, readGauges: () => Promise<CheckpointGauges>) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'bailiwick_agent_checkpoints_total',
      help: 'Requests for a checkpoint by what they came to.',
      labelNames: ['result'],
      registers,
    });
    // A rate is told of a series that was there before.
    for (const result of ['Success', ...checkpointFailures]) this.#requests.inc({ result }, 0);
    this.#duration = new Histogram({
      name: 'bailiwick_agent_checkpoint_duration_seconds',
      help: 'Time that checkpoints took that were made, waiting included.',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
      registers,
    });
    this.#size = new Histogram({
      name: 'bailiwick_agent_checkpoint_size_bytes',
      help: 'Sizes of archives that were made.',
      buckets: [20, 22, 24, 26, 28, 30, 32, 34].map((power) => 2 ** power),
      registers,
    });
    this.#removals = new Counter({
      name: 'bailiwick_agent_checkpoint_removals_total',
      help: 'Archives that were removed, by why.',
      labelNames: ['reason'],
      registers,
    });
    let measured: Promise<CheckpointGauges> | undefined;
    for (const [field, name, help] of gauges) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers,
        collect: async () => {
          // All are collected together.
          measured ??= readGauges().finally(() => setImmediate(() => (measured = undefined)));
          const value = (await measured)[field];
          if (value !== undefined) gauge.set(value);
        },
      });
    }
  }

  countFailure(failure: CheckpointFailure): void {
    this.#requests.inc({ result: failure });
  }

  countSuccess(durationSeconds: number, sizeBytes: number): void {
    this.#requests.inc({ result: 'Success' });
    this.#duration.observe(durationSeconds);
    this.#size.observe(sizeBytes);
  }

  countRemoval(reason: RetentionReason | 'Deleted'): void {
    this.#removals.inc({ reason });
  }
}
