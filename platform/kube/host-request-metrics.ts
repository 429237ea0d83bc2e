import { Counter, Histogram, type Registry } from 'prom-client';

const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

function findOrMake<T>(registry: Registry, name: string, make: () => T): T {
  return (registry.getSingleMetric(name) as T | undefined) ?? make();
}

/** Requests to the host, under the names that client-go gives them. */
export class HostRequestMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #host: string;

  constructor(registry: Registry, host: string) {
    this.#host = host;
    const registers = [registry];
    this.#total = findOrMake(
      registry,
      'rest_client_requests_total',
      () =>
        new Counter({
          name: 'rest_client_requests_total',
          help: 'Number of HTTP requests, partitioned by status code, method, and host.',
          labelNames: ['code', 'method', 'host'],
          registers,
        }),
    );
    this.#duration = findOrMake(
      registry,
      'rest_client_request_duration_seconds',
      () =>
        new Histogram({
          name: 'rest_client_request_duration_seconds',
          help: 'Request latency in seconds. Broken down by verb, and host.',
          labelNames: ['verb', 'host'],
          buckets: durationBuckets,
          registers,
        }),
    );
  }

  /** Counts one request that was answered; `status` is absent when no answer came. */
  observe(method: string, status: number | undefined, durationSeconds: number): void {
    this.#total.inc({ code: status === undefined ? '<error>' : String(status), method, host: this.#host });
    this.#duration.observe({ verb: method, host: this.#host }, durationSeconds);
  }
}
