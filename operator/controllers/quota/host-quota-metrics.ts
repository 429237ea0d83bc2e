import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';

const QUEUE = 'resourcequota_primary';

/** Controllers come and go with the leadership, metrics stay. */
function findMetric<T extends Metric>(registry: Registry, name: string, make: () => T): T {
  return (registry.getSingleMetric(name) as T | undefined) ?? make();
}

/** What the quota controller on a host tells of its work; the queue's metrics have the names that they have in Kubernetes. */
export class HostQuotaMetrics {
  readonly #adds: Counter<'name'>;
  readonly #retries: Counter<'name'>;
  readonly #duration: Histogram<'name'>;
  readonly #counts: Counter<'result'>;
  readonly #claims: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    const queue = { registers, labelNames: ['name' as const] };
    this.#adds = findMetric(
      registry,
      'workqueue_adds_total',
      () => new Counter({ ...queue, name: 'workqueue_adds_total', help: 'Keys that were added to the queue.' }),
    );
    this.#retries = findMetric(
      registry,
      'workqueue_retries_total',
      () =>
        new Counter({ ...queue, name: 'workqueue_retries_total', help: 'Keys that are tried again after a failure.' }),
    );
    this.#duration = findMetric(
      registry,
      'workqueue_work_duration_seconds',
      () =>
        new Histogram({
          ...{ ...queue, name: 'workqueue_work_duration_seconds', help: 'Time that the work on a key takes.' },
          buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
        }),
    );
    this.#counts = findMetric(
      registry,
      'bailiwick_quota_counts_total',
      () =>
        new Counter({
          ...{ registers, name: 'bailiwick_quota_counts_total', labelNames: ['result' as const] },
          help: 'Counts of a quota: changed its status, left it as it was, or failed.',
        }),
    );
    this.#claims = findMetric(
      registry,
      'bailiwick_quota_open_claims',
      () =>
        new Gauge({
          registers,
          name: 'bailiwick_quota_open_claims',
          help: 'Claims of writes whose outcome is not known yet.',
        }),
    );
  }

  recordAdd(): void {
    this.#adds.inc({ name: QUEUE });
  }

  recordCount(result: 'changed' | 'unchanged' | 'failed', seconds: number): void {
    this.#counts.inc({ result });
    this.#duration.observe({ name: QUEUE }, seconds);
    if (result === 'failed') this.#retries.inc({ name: QUEUE });
  }

  setOpenClaims(count: number): void {
    this.#claims.set(count);
  }
}
