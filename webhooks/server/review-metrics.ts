import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ReviewOutcome } from '../review/decide-review.ts';

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

/** Metrics of the webhooks: the calls by the names that controller-runtime has for them, and how they were decided. */
export class ReviewMetrics {
  readonly #total: Counter;
  readonly #latency: Histogram;
  readonly #inFlight: Gauge;
  readonly #decisions: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#total = new Counter({
      name: 'controller_runtime_webhook_requests_total',
      help: 'Total number of admission requests by HTTP status code.',
      labelNames: ['webhook', 'code'],
      registers,
    });
    this.#latency = new Histogram({
      name: 'controller_runtime_webhook_latency_seconds',
      help: 'Histogram of the latency of processing admission requests',
      labelNames: ['webhook'],
      buckets: latencyBuckets,
      registers,
    });
    this.#inFlight = new Gauge({
      name: 'controller_runtime_webhook_requests_in_flight',
      help: 'Current number of admission requests being served.',
      labelNames: ['webhook'],
      registers,
    });
    this.#decisions = new Counter({
      name: 'bailiwick_webhook_decisions_total',
      help: 'Admission reviews by how they were decided; audited ones would have been refused.',
      labelNames: ['webhook', 'outcome', 'dry_run'],
      registers,
    });
  }

  /** Counts a call from here on. The returned function ends it with the status code of its answer. */
  begin(path: string): (code: number) => void {
    const webhook = { webhook: path };
    const startMillis = performance.now();
    this.#inFlight.inc(webhook);
    return (code) => {
      this.#inFlight.dec(webhook);
      this.#latency.observe(webhook, (performance.now() - startMillis) / 1000);
      this.#total.inc({ ...webhook, code: String(code) });
    };
  }

  /** Counts a decision. */
  decide(path: string, outcome: ReviewOutcome, isDryRun: boolean): void {
    this.#decisions.inc({ webhook: path, outcome, dry_run: String(isDryRun) });
  }
}
