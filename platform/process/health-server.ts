import type { IncomingMessage, ServerResponse } from 'node:http';
import { sleep } from './clock.ts';
import type { Clock } from './clock.ts';
import type { HealthCheck } from './health-check.ts';
import { listenAt } from './listen-at.ts';
import type { Logger } from './logger.ts';
import type { Registry } from './metrics.ts';
import { createServer } from './node-http.ts';

/** What a health server serves, and where. */
export interface HealthServerOptions {
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly checks: readonly HealthCheck[];
  /** Served at `/metrics`; absent means 404 there. */
  readonly metrics?: Registry;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A running health server. */
export interface HealthServer {
  readonly port: number;
  /** Ends it; requests under way are cut off. */
  close(): Promise<void>;
}

/** An answer, plain text unless it says otherwise. */
export interface HealthAnswer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

const checkMillis = 5_000;
const requestMillis = 15_000;
const maxConnections = 100;
const notFound: HealthAnswer = { status: 404, text: '404 page not found\n' };

/**
 * Serves `/healthz`, `/livez` and `/readyz` (with `?verbose`, `?exclude=` and single checks below them) and `/metrics` over plain HTTP to
 * whoever reaches the port: nothing secret is shown. Rejects when the port cannot be had.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const pages = new HealthPages(options);
  const server = createServer({ requestTimeout: requestMillis, headersTimeout: requestMillis }, (request, response) => {
    void answerRequest(pages, request, response, options.logger);
  });
  server.maxConnections = maxConnections;
  server.maxRequestsPerSocket = 1_000;
  const port = await listenAt(server, options.port, options.address);
  return {
    port,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answerRequest(
  pages: HealthPages,
  request: IncomingMessage,
  response: ServerResponse,
  logger: Logger,
): Promise<void> {
  let answer: HealthAnswer;
  try {
    answer =
      request.method === 'GET' || request.method === 'HEAD'
        ? await pages.answer(request.url ?? '/')
        : { status: 405, text: 'method not allowed\n' };
  } catch (error) {
    logger.error({ err: error, path: request.url }, 'a health request failed');
    answer = { status: 500, text: 'internal server error\n' };
  }
  response.writeHead(answer.status, {
    'content-type': answer.contentType ?? 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(answer.text),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache, private',
  });
  response.end(request.method === 'HEAD' ? undefined : answer.text);
}

/** What there is to see of a program's health, for whoever serves it. */
export class HealthPages {
  readonly #checks: readonly HealthCheck[];
  readonly #options: Pick<HealthServerOptions, 'checks' | 'metrics' | 'clock' | 'logger'>;

  constructor(options: Pick<HealthServerOptions, 'checks' | 'metrics' | 'clock' | 'logger'>) {
    this.#options = options;
    this.#checks = [{ name: 'ping', check: async () => undefined }, ...options.checks];
  }

  /** The answer to a GET of `target`, a path with its query. */
  async answer(target: string): Promise<HealthAnswer> {
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
    const { metrics } = this.#options;
    if (path === '/metrics' && metrics !== undefined) {
      return { status: 200, text: await metrics.metrics(), contentType: metrics.contentType };
    }
    const [endpoint = '', ...rest] = path.split('/').filter((part) => part !== '');
    if (endpoint !== 'healthz' && endpoint !== 'livez' && endpoint !== 'readyz') return notFound;
    const checks = this.#checks.filter((check) => endpoint === 'readyz' || check.readinessOnly !== true);
    const single = rest.join('/');
    return single === '' ? this.#answerAll(endpoint, checks, query) : this.#answerOne(checks, single);
  }

  async #answerOne(checks: readonly HealthCheck[], name: string): Promise<HealthAnswer> {
    const check = checks.find((each) => each.name === name);
    if (check === undefined) return notFound;
    const fault = await this.#run(check);
    return fault === undefined
      ? { status: 200, text: 'ok' }
      : { status: 500, text: `internal server error: ${fault}\n` };
  }

  async #answerAll(endpoint: string, checks: readonly HealthCheck[], query: URLSearchParams): Promise<HealthAnswer> {
    const excluded = new Set(query.getAll('exclude'));
    const faults = await Promise.all(
      checks.map(async (check) => (excluded.has(check.name) ? undefined : this.#run(check))),
    );
    const lines = checks.map(({ name }, i) => {
      if (excluded.has(name)) return `[+]${name} excluded: ok`;
      return faults[i] === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
    });
    const unknown = [...excluded].filter((name) => !checks.some((check) => check.name === name));
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(', ');
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
    }
    const passed = faults.every((fault) => fault === undefined);
    if (passed && !query.has('verbose')) return { status: 200, text: 'ok' };
    const text = `${lines.join('\n')}\n${endpoint} check ${passed ? 'passed' : 'failed'}\n`;
    return { status: passed ? 200 : 500, text };
  }

  async #run(check: HealthCheck): Promise<string | undefined> {
    const { clock, logger } = this.#options;
    const done = new AbortController();
    try {
      const fault = await Promise.race([
        check.check(),
        sleep(clock, checkMillis, done.signal).then(() => `no result within ${checkMillis} ms`),
      ]);
      if (fault !== undefined) logger.warn({ check: check.name, fault }, 'a health check failed');
      return fault;
    } catch (error) {
      logger.error({ err: error, check: check.name }, 'a health check failed to run');
      return 'the check could not be run';
    } finally {
      done.abort();
    }
  }
}
