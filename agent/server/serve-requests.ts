import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from '../../platform/process/logger.ts';
import { readRequestPath } from '../access/plan-access-questions.ts';
import type { RequestGuard } from '../access/request-guard.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { RouteTable, type Route } from './route.ts';
import { sendText } from './send-answer.ts';

/** What serving requests needs. */
export interface RequestServingOptions {
  readonly routes: readonly Route[];
  readonly guard: RequestGuard;
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  /** Absent: 256. */
  readonly maxRequests?: number;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * The listener of the agent's requests. As with the kubelet, where nothing at all is served is said to everybody, anything else only to whom
 * the guard lets in; and bodies are not read, since no operation has one.
 */
export function serveRequests(options: RequestServingOptions): RequestListener {
  const { guard, metrics, logger, maxRequests = 256 } = options;
  const table = new RouteTable(options.routes);
  let count = 0;

  async function answer(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
    // By the path that the guard judges.
    const parts = readRequestPath(target)?.split('/').slice(1);
    const method = request.method ?? 'GET';
    const root = parts === undefined ? undefined : table.findRoot(parts);
    const end = metrics.begin(method, root);
    const gone = new AbortController();
    response.once('close', () => {
      end(response.writableFinished ? response.statusCode : 0);
      if (!response.writableFinished) gone.abort();
    });
    if (parts === undefined) return sendText(response, 400, '400 Bad Request');
    if (root === undefined) return sendText(response, 404, '404 page not found\n');
    if (count > maxRequests)
      return sendText(response, 429, 'Too many requests, please try again later.', { 'retry-after': '1' });
    const access = await guard.check(request);
    if ('refusal' in access) return sendText(response, access.refusal.status, access.refusal.message);
    const match = table.find(method, parts);
    if (!('status' in match)) {
      const mark = target.indexOf('?');
      const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
      return match.route.handle({ request, response, parameters: match.parameters, query, signal: gone.signal });
    }
    if (match.status === 404) return sendText(response, 404, '404: Page Not Found');
    return sendText(response, 405, '405: Method Not Allowed', { allow: match.allowed.join(', ') });
  }

  return (request, response) => {
    // What follows on the connection would be the body, which nobody reads.
    if (hasBody(request)) response.shouldKeepAlive = false;
    count++;
    response.once('close', () => count--);
    void answer(request, response, request.url ?? '/').catch((error: unknown) => {
      logger.error({ err: error, method: request.method, path: request.url }, 'a request failed');
      if (response.headersSent) response.destroy();
      else sendText(response, 500, 'internal server error\n');
    });
  };
}
