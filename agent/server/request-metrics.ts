import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const methods: ReadonlySet<string> = new Set(['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT']);

/** Metrics of the agent's requests. */
export class RequestMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #inFlight: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#total = new Counter({
      name: 'bailiwick_agent_http_requests_total',
      help: 'Requests to the node agent by method, first part of the path and status code; code 0: the caller went before the answer.',
      labelNames: ['method', 'path', 'code'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'bailiwick_agent_http_requests_duration_seconds',
      help: 'How long requests to the node agent took.',
      labelNames: ['method', 'path'],
      buckets: durationBuckets,
      registers,
    });
    this.#inFlight = new Gauge({
      name: 'bailiwick_agent_http_inflight_requests',
      help: 'Requests to the node agent that are being served.',
      labelNames: ['path'],
      registers,
    });
  }

  /** Counts a request from here on; `root` is undefined where nothing is served. The returned function ends it with its status code. */
  begin(method: string, root: string | undefined): (code: number) => void {
    const path = root ?? 'other';
    const labels = { method: methods.has(method) ? method : 'other', path };
    const startMillis = performance.now();
    this.#inFlight.inc({ path });
    return (code) => {
      this.#inFlight.dec({ path });
      this.#duration.observe(labels, (performance.now() - startMillis) / 1000);
      this.#total.inc({ ...labels, code: String(code) });
    };
  }
}
