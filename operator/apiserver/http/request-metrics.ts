import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Exchange } from './exchange.ts';

const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const MUTATING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const VERBS: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
};

function makeKindLabel({ request }: Exchange): { request_kind: 'mutating' | 'readOnly' } {
  return { request_kind: MUTATING.has(request.method ?? '') ? 'mutating' : 'readOnly' };
}

/** The API service's own metrics, under the names that Kubernetes has for them. */
export class RequestMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #inflight: Gauge;
  readonly #inqueue: Gauge;
  readonly #terminations: Counter;
  readonly #longRunning: Gauge;
  readonly #watchers: Gauge;

  constructor(registry: Registry) {
    const labels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
    const registers = [registry];
    this.#total = new Counter({
      name: 'apiserver_request_total',
      help: 'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
      labelNames: [...labels, 'dry_run', 'code'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
      labelNames: [...labels, 'dry_run'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#inflight = new Gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
      labelNames: ['request_kind'],
      registers,
    });
    this.#inqueue = new Gauge({
      name: 'apiserver_current_inqueue_requests',
      help: 'Maximal number of queued requests in this apiserver per request kind in last second.',
      labelNames: ['request_kind'],
      registers,
    });
    this.#terminations = new Counter({
      name: 'apiserver_request_terminations_total',
      help: 'Number of requests which apiserver terminated in self-defense.',
      labelNames: [...labels, 'code'],
      registers,
    });
    this.#longRunning = new Gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
      labelNames: [...labels],
      registers,
    });
    this.#watchers = new Gauge({
      name: 'apiserver_registered_watchers',
      help: 'Number of currently registered watchers for a given resources',
      labelNames: ['group', 'version', 'kind'],
      registers,
    });
  }

  /** Notes that a request begins to wait (1) or ceases to (-1): while it waits it is not in flight. */
  noteWaiting(exchange: Exchange, change: 1 | -1): void {
    const kind = makeKindLabel(exchange);
    this.#inqueue.inc(kind, change);
    if (exchange.info.verb !== 'watch') this.#inflight.dec(kind, change);
  }

  /** Counts a request from here to the end of its answer. `isKnown`: its path names what is served, so that labels stay few. */
  track(exchange: Exchange, isKnown: boolean): void {
    const { request, response, info } = exchange;
    const started = performance.now();
    const isLong = info.verb === 'watch';
    const known = isKnown && info.isResourceRequest;
    const labels = {
      verb: known ? (VERBS[info.verb] ?? 'other') : (request.method ?? 'GET'),
      group: known ? info.apiGroup : '',
      version: known ? info.apiVersion : '',
      resource: known ? info.resource : '',
      subresource: known ? info.subresource : '',
      scope: known ? (info.name !== '' ? 'resource' : info.namespace !== '' ? 'namespace' : 'cluster') : '',
      component: 'apiserver',
    };
    const kind = makeKindLabel(exchange);
    const watched = { group: labels.group, version: labels.version, kind: labels.resource };
    if (isLong) {
      this.#longRunning.inc(labels);
      this.#watchers.inc(watched);
    } else {
      this.#inflight.inc(kind);
    }
    response.once('close', () => {
      const dryRun = exchange.query.get('dryRun') ?? '';
      const counted = { ...labels, dry_run: dryRun === 'All' ? 'All' : '' };
      this.#total.inc({ ...counted, code: String(response.statusCode) });
      if (exchange.flow?.refusal !== undefined) this.#terminations.inc({ ...labels, code: '429' });
      if (isLong) {
        this.#longRunning.dec(labels);
        this.#watchers.dec(watched);
      } else {
        this.#inflight.dec(kind);
        this.#duration.observe(counted, (performance.now() - started) / 1000);
      }
    });
  }
}
