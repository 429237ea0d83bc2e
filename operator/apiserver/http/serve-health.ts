import type { Logger } from 'pino';
import { splitPath } from '../split-path.ts';
import type { HealthCheck } from '../../../platform/process/health-check.ts';
import type { Exchange } from './exchange.ts';
import { NOT_FOUND_TEXT } from './route-resource.ts';
import { sendBytes, sendText, TEXT_TYPE } from './send-answer.ts';

/** Serves `/healthz`, `/livez` and `/readyz`, with `?verbose`, `?exclude=` and single checks below them. */
export class HealthEndpoints {
  readonly #checks: readonly HealthCheck[];
  readonly #logger: Logger;

  constructor(checks: readonly HealthCheck[], logger: Logger) {
    this.#checks = [{ name: 'ping', check: async () => undefined }, ...checks];
    this.#logger = logger;
  }

  /** Whether a path is one of these endpoints. */
  static matches(path: string): boolean {
    return /^\/(healthz|livez|readyz)(\/|$)/.test(path);
  }

  /** Paths that the root document lists. */
  listPaths(): string[] {
    return ['healthz', 'livez', 'readyz'].flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#checksOf(endpoint).map(({ name }) => `/${endpoint}/${name}`),
    ]);
  }

  #checksOf(endpoint: string): HealthCheck[] {
    return this.#checks.filter((check) => endpoint === 'readyz' || check.readinessOnly !== true);
  }

  async serve(exchange: Exchange): Promise<void> {
    const [endpoint = '', ...rest] = splitPath(exchange.info.path);
    const single = rest.join('/');
    const checks = this.#checksOf(endpoint);
    if (exchange.info.path.endsWith('/')) return sendText(exchange, 404, NOT_FOUND_TEXT);
    if (single !== '') {
      const check = checks.find(({ name }) => name === single);
      if (check === undefined) return sendText(exchange, 404, NOT_FOUND_TEXT);
      const fault = await this.#run(check);
      return fault === undefined
        ? sendBytes(exchange, 200, TEXT_TYPE, 'ok')
        : sendText(exchange, 500, `internal server error: ${fault}\n`);
    }
    return this.#serveAll(exchange, endpoint, checks);
  }

  async #run(check: HealthCheck): Promise<string | undefined> {
    try {
      return await check.check();
    } catch (error) {
      this.#logger.error({ err: error, check: check.name }, 'a health check failed to run');
      return 'the check could not be run';
    }
  }

  async #serveAll(exchange: Exchange, endpoint: string, checks: readonly HealthCheck[]): Promise<void> {
    const excluded = new Set(exchange.query.getAll('exclude'));
    const unknown = [...excluded].filter((name) => !checks.some((check) => check.name === name));
    const lines: string[] = [];
    const failed: string[] = [];
    for (const check of checks) {
      if (excluded.has(check.name)) {
        lines.push(`[+]${check.name} excluded: ok`);
        continue;
      }
      const fault = await this.#run(check);
      if (fault === undefined) {
        lines.push(`[+]${check.name} ok`);
      } else {
        failed.push(check.name);
        lines.push(`[-]${check.name} failed: reason withheld`);
        this.#logger.warn({ check: check.name, fault }, 'a health check failed');
      }
    }
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(', ');
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
    }
    if (failed.length > 0) {
      return sendText(exchange, 500, `${lines.join('\n')}\n${endpoint} check failed\n`);
    }
    if (!exchange.query.has('verbose')) return sendText(exchange, 200, 'ok');
    return sendText(exchange, 200, `${lines.join('\n')}\n${endpoint} check passed\n`);
  }
}
